import Foundation
import Postgres
import TestSupport
import Testing

/// Tests of `credit-wallet import` runs: dry, real, repeated, and after a kill.
@Suite struct ImportTests {
    private static let balances = """
        user_id,credits,visits,at,reason
        anna,12,3,2024-06-30T10:00:00Z,"Card 7, paper"
        ben,5,,,
        cleo,0.5,,,

        """

    @Test(.database) func `a dry run predicts the import, which happens once`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.balances, to: "balances.csv")
        let arguments = [
            "--csv", "\(directory.path)/balances.csv", "--source", "cards", "--cut-over", "2024-07-01T00:00:00Z",
        ]
        try await Self.execute("SELECT wallet.enable_store('app_store', '2020-01-01')")

        let dry = try await Self.run(arguments)
        #expect(dry.status == 1)
        #expect(dry.output.contains("line 4: user cleo: credits is not a whole number (0.5)"))
        #expect(dry.output.contains("would refuse: line 4: user cleo"))
        #expect(
            dry.output.contains(
                "3 read: would import 2 and refuse 1, with 0 unchanged and 0 changed; would post 3 entries"
            )
        )
        #expect(
            dry.output.contains(
                "purchases of app_store would grant credits from 2024-07-01T00:00:00Z instead of 2020-01-01"
            )
        )
        #expect(dry.output.contains("wallets now: 0 credits, 0 visits; would become: 17 credits, 3 visits"))
        #expect(dry.output.hasSuffix("Dry run: nothing was changed.\n"))
        #expect(!dry.output.contains("imported"))
        #expect(dry.errors.contains("import, dry run: 3 users in "))
        #expect(dry.errors.contains("1 would be refused, 0 changed"))
        #expect(try await Self.books() == "0 entries, 0 credits, 0 visits of 0, from 2020")

        let first = try await Self.run(arguments + ["--apply"])
        #expect(first.status == 1)
        #expect(first.output.contains("3 read, 2 imported, 0 unchanged, 0 changed, 1 refused; 3 entries"))
        #expect(
            first.output.contains(
                "purchases of app_store now grant credits from 2024-07-01T00:00:00Z instead of 2020-01-01"
            )
        )
        #expect(first.output.contains("wallets before: 0 credits, 0 visits; after: 17 credits, 3 visits"))
        #expect(!first.output.contains("would"))
        #expect(first.errors.contains("import: 3 users in "))
        #expect(try await Self.books() == "3 entries, 17 credits, 3 visits of 2, from 2024")

        try directory.write(
            Self.balances.replacing("ben,5", with: "ben,6").replacing("0.5", with: "7"),
            to: "balances.csv"
        )
        let second = try await Self.run(arguments + ["--apply"])
        #expect(second.status == 1)
        #expect(second.output.contains("changed: line 3: user ben: "))
        #expect(second.output.contains("3 read, 1 imported, 1 unchanged, 1 changed, 0 refused; 1 entries"))
        #expect(second.errors.contains("0 refused, 1 changed"))
        #expect(try await Self.books() == "4 entries, 24 credits, 3 visits of 3, from 2024")

        try directory.write(Self.balances.replacing("0.5", with: "7"), to: "balances.csv")
        let last = try await Self.run(arguments + ["--apply"])
        #expect(last.status == 0, "\(last.errors)")
        #expect(last.output.contains("3 read, 0 imported, 3 unchanged, 0 changed, 0 refused; 0 entries"))
    }

    @Test(.database) func `the report is JSON for scripts`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.balances, to: "balances.csv")
        let result = try await Self.run([
            "--csv", "\(directory.path)/balances.csv", "--source", "cards", "--cut-over", "2024-07-01T00:00:00Z",
            "--json",
            "--apply", "--environment", "sandbox", "--expires", "2999-01-01T00:00:00Z", "--user-prefix", "app|",
        ])
        let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(report["imported"] as? Int == 2)
        #expect(report["refused"] as? Int == 1)
        #expect(report["is_dry_run"] as? Bool == false)
        #expect(report["cut_over"] as? String == "2024-07-01T00:00:00Z")
        #expect((report["after"] as? [String: Int]) == ["credits": 17, "visits": 3])
        let item = try #require((report["items"] as? [[String: Any]])?.first)
        #expect(item["user_id"] as? String == "cleo")
        #expect(item["line"] as? Int == 4)
        let wallets = try await Self.query(
            """
            SELECT count(*) AS number FROM wallet.identities AS i
            INNER JOIN wallet.lots AS l ON i.account_id = l.account_id
            WHERE i.user_id LIKE 'app|%' AND l.environment = 'sandbox' AND l.expires_at = '2999-01-01'
            """
        )
        #expect(try wallets.first?.decode("number") == Int64(3))
    }

    @Test(.database) func `a file with nothing to import does not move the cut-over`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("user_id,credits\nanna,0.5\nb\u{1B}en,5\n", to: "balances.csv")
        try await Self.execute("SELECT wallet.enable_store('app_store', '2020-01-01')")
        let before = try await Self.books()
        let result = try await Self.run(
            [
                "--csv", "\(directory.path)/balances.csv", "--source", "cards", "--cut-over", "2024-07-01T00:00:00Z",
                "--apply",
            ]
        )
        #expect(result.status == 1)
        #expect(result.errors.contains("the cut-over was not set"))
        #expect(!result.errors.contains("dry run"))
        // The error of each row is reported at once.
        #expect(
            result.output.contains("refused: line 2: user anna: credits is not a whole number (0.5)"),
            "\(result.output)"
        )
        #expect(
            result.output.contains("refused: line 3: user b\u{FFFD}en: user_id contains control"),
            "\(result.output)"
        )
        #expect(try await Self.books() == before)
    }

    @Test(.database) func `purchases already granted stop the import before it begins`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.balances, to: "balances.csv")
        try await Self.execute(
            """
            SELECT wallet.enable_store('app_store', '2020-01-01');
            SELECT wallet.apply_fact(wallet.account_for('anna'), jsonb_build_object(
                'store', 'app_store', 'environment', 'production', 'transaction_id', '1', 'original_transaction_id', '1',
                'store_product_id', 'com.hobbyist.bookingapp.credits.explorer', 'kind', 'one_time', 'quantity', 1,
                'ownership', 'purchased', 'purchased_at', '2024-06-01T00:00:00.000Z', 'pending', FALSE,
                'upgraded', FALSE, 'refunded_millionths', 0, 'billing_issue', FALSE, 'source', 'receipt',
                'source_at', '2024-06-01T00:00:00.000Z'
            ));
            """
        )
        let before = try await Self.books()
        for flags in [[], ["--apply"]] {
            let result = try await Self.run(
                ["--csv", "\(directory.path)/balances.csv", "--source", "cards", "--cut-over", "2024-07-01T00:00:00Z"]
                    + flags
            )
            #expect(result.status == 1)
            #expect(result.errors.contains("already granted (app_store 1)"))
            #expect(result.output.isEmpty)
        }
        #expect(try await Self.books() == before)
    }

    @Test(.database, .timeLimit(.minutes(10))) func `an import killed half way and run again imports each user once`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let users = 800
        let lines = (1...users).map { "user-\($0),\($0),1,," }
        try directory.write("user_id,credits,visits,at,reason\n" + lines.joined(separator: "\n"), to: "balances.csv")
        let arguments = [
            "--csv", "\(directory.path)/balances.csv", "--source", "cards", "--cut-over", "2024-07-01T00:00:00Z",
        ]
        var stops: [Int64] = []
        for share in 1...2 {
            // The import of this user waits until this session ends, so the process cannot finish before it is killed.
            let other = try await TestDatabase.current.connect()
            try await other.execute(script: "BEGIN; SELECT wallet.account_for('user-\(users * share / 4 + 1)')")
            let running = try RunningExecutable(
                ["import"] + arguments + ["--apply"],
                environment: try Self.environment()
            )
            while try await Self.imported() < users * share / 4, running.isRunning {
                try await Task.sleep(for: .milliseconds(20))
            }
            running.send(SIGKILL)
            #expect(try await running.exitStatus() == SIGKILL)
            other.close()
            try await Self.settle()
            stops.append(try await Self.imported())
        }
        #expect(stops[0] >= users / 4 && stops[0] < stops[1] && stops[1] < users)

        let last = try await Self.run(arguments + ["--apply"])
        #expect(last.status == 0, "\(last.errors)")
        #expect(last.output.contains("\(users) read, \(Int64(users) - stops[1]) imported, \(stops[1]) unchanged"))
        let credits = users * (users + 1) / 2
        #expect(
            try await Self.books() == "\(2 * users) entries, \(credits) credits, \(users) visits of \(users), from "
        )
        let verdict = try await Executable.run(["verify", "--deep"], environment: try Self.environment())
        #expect(verdict.status == 0, "\(verdict.output)")
    }

    @Test(.database, arguments: ["2024-06-30T10:00:00", "2024-06-31T10:00:00Z"])
    func `an instant without a zone or that does not exist is refused with the expected form`(at: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("user_id,credits,at\nanna,5,\(at)\n", to: "balances.csv")
        let result = try await Self.run([
            "--csv", "\(directory.path)/balances.csv", "--source", "cards", "--cut-over", "2024-07-01T00:00:00Z",
            "--apply",
        ])
        #expect(result.status == 1)
        let reason = "at must be an instant with a zone such as 2026-11-21T00:00:00Z; received \"\(at)\""
        #expect(result.output.contains("refused: line 2: user anna: \(reason)"), "\(result.output)")
        #expect(try await Self.books() == "0 entries, 0 credits, 0 visits of 0, from ")
    }

    @Test(.database) func `reconcile refuses an instant that does not exist`() async throws {
        for instant in ["2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "yesterday"] {
            let result = try await Executable.run(
                ["reconcile", "--since", instant],
                environment: ServeConfiguration.environment().merging(try Self.environment()) { $1 }
            )
            #expect(result.status == 64, "\(result.errors)")
            #expect(result.errors.contains("--since must be a valid instant"))
        }
    }

    @Test(.database) func `the service's role imports nothing`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.balances, to: "balances.csv")
        let result = try await Executable.run(
            [
                "import", "--csv", "\(directory.path)/balances.csv", "--source", "x", "--cut-over",
                "2024-07-01T00:00:00Z",
            ],
            environment: ["DATABASE_URL": try TestDatabase.current.serviceURL]
        )
        #expect(result.status == 78)
        #expect(result.errors.contains("import must connect as the owner"))
        #expect(try await Self.books() == "0 entries, 0 credits, 0 visits of 0, from ")
    }

    @Test(arguments: [
        ["--source", "x", "--cut-over", "2024-07-01T00:00:00Z"],
        ["--csv", "a", "--supabase-csv", "b", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z"],
        ["--csv", "a", "--source", "", "--cut-over", "2024-07-01T00:00:00Z"], ["--csv", "a", "--source", "x"],
        ["--csv", "a", "--source", "x", "--cut-over", "yesterday"],
        ["--csv", "a", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z", "--expires", "soon"],
        ["--csv", "a", "--source", "x", "--cut-over", "2024-06-31T00:00:00Z"],
        ["--csv", "a", "--source", "x", "--cut-over", "2024-07-01T24:00:00Z"],
        ["--csv", "a", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z", "--expires", "2027-02-29T00:00:00Z"],
        ["--csv", "a", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z", "--expires", "2027-02-28T00:00:60Z"],
        ["--csv", "a", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z", "--scale", "0"],
        ["--csv", "a", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z", "--environment", "test"],
    ])
    func `invalid arguments are refused`(arguments: [String]) async throws {
        let result = try await Executable.run(["import"] + arguments)
        #expect(result.status == 64)
    }

    private static func environment() throws -> [String: String] { ["DATABASE_URL": try TestDatabase.current.url] }

    private static func run(_ arguments: [String]) async throws -> Executable.Result {
        try await Executable.run(["import"] + arguments, environment: try Self.environment())
    }

    private static func query(_ query: Query) async throws -> [Row] {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        return try await connection.query(query)
    }

    private static func execute(_ script: String) async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        try await connection.execute(script: script)
    }

    /// Waits until the server has finished the last statements of the killed process.
    ///
    /// The server still executes these statements and then ends the session. The session can be idle before that, while
    /// a sent statement waits to be read.
    private static func settle() async throws {
        let working: Query = """
            SELECT count(*) AS number FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            """
        while try await Self.query(working).first?.decode("number", as: Int64.self) != 0 {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func imported() async throws -> Int64 {
        try await Self.query("SELECT count(*) AS number FROM wallet.imports").first?.decode("number") ?? -1
    }

    /// Returns everything that an import could change.
    private static func books() async throws -> String? {
        try await Self.query(
            """
            SELECT format(
                '%s entries, %s credits, %s visits of %s, from %s', (SELECT count(*) FROM wallet.entries),
                coalesce(sum(w.credits), 0), coalesce(sum(w.visits), 0), count(*),
                (SELECT string_agg(DISTINCT extract(YEAR FROM s.grants_from)::text, ' ') FROM wallet.stores AS s)
            ) AS line FROM wallet.wallets AS w
            """
        ).first?.decode("line")
    }
}
