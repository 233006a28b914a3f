import Postgres
import TestSupport
import Testing

@Suite struct MigratorTests {
    static let files = [
        SQLFile(
            path: "migrations/0001_lots.sql",
            contents: "CREATE TABLE wallet.lots (lot int); INSERT INTO wallet.lots VALUES (1);"
        ),
        SQLFile(path: "migrations/0002_units.sql", contents: "ALTER TABLE wallet.lots ADD COLUMN unit text;"),
        SQLFile(
            path: "functions/count_lots.sql",
            contents:
                "CREATE OR REPLACE FUNCTION wallet.count_lots() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM wallet.all_lots';"
        ),
        SQLFile(
            path: "views/all_lots.sql",
            contents: "CREATE OR REPLACE VIEW wallet.all_lots AS SELECT lot FROM wallet.lots;"
        ),
        SQLFile(path: "grants.sql", contents: "GRANT SELECT ON wallet.all_lots TO public;"),
        SQLFile(path: "seed/catalog.sql", contents: "this is not run"),
        SQLFile(path: "tests/lots.sql", contents: "nor is this"),
    ]

    @Test(.emptyDatabase) func `an empty database gets everything in order, and a second run changes nothing`()
        async throws
    {
        let migrator = try Migrator(files: Self.files.reversed(), logger: .silent)
        let url = try TestDatabase.current.url
        let report = try await migrator.migrate(url: url)
        #expect(report.migrations == ["migrations/0001_lots.sql", "migrations/0002_units.sql"])
        #expect(report.repeatables == ["functions/count_lots.sql", "views/all_lots.sql", "grants.sql"])
        #expect(try await migrator.migrate(url: url).isEmpty)
        let connection = try await connect()
        #expect(try await connection.query("SELECT wallet.count_lots() AS n")[0].decode("n", as: Int.self) == 1)
        #expect(try await migrator.check(on: connection) == .upToDate)
        let status = try await migrator.status(on: connection)
        #expect(status.map(\.name) == ["0001_lots", "0002_units"])
        #expect(status.allSatisfy { $0.isApplied && $0.isKnown && !$0.isBreaking && $0.appliedAt != nil })
    }

    @Test(.emptyDatabase) func `twenty migrators at once do the work of one`() async throws {
        let migrator = try Migrator(files: Self.files, logger: .silent)
        let url = try TestDatabase.current.url
        let reports = try await withThrowingTaskGroup(of: MigrationReport.self) { group in
            for _ in 0..<20 { group.addTask { try await migrator.migrate(url: url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reports.flatMap(\.migrations).sorted() == ["migrations/0001_lots.sql", "migrations/0002_units.sql"])
        #expect(reports.count { !$0.repeatables.isEmpty } == 1)
        let connection = try await connect()
        #expect(try await connection.query("SELECT * FROM wallet.lots").count == 1)
    }

    @Test func `migrators of several databases may alter the same role at once`() async throws {
        let grants = SQLFile(
            path: "grants.sql",
            contents: """
                DO $$ BEGIN CREATE ROLE altered_at_once; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
                ALTER ROLE altered_at_once SET lock_timeout = '2s';
                ALTER ROLE altered_at_once SET statement_timeout = '10s';
                """
        )
        let migrator = try Migrator(files: [grants], logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let database = try await TestDatabase.empty()
                    let report = try await migrator.migrate(url: database.url)
                    #expect(report.repeatables == ["grants.sql"])
                    try await database.drop()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(.emptyDatabase) func `a migration that was edited after it was applied is an error`() async throws {
        let url = try TestDatabase.current.url
        _ = try await Migrator(files: Self.files, logger: .silent).migrate(url: url)
        let edited = try Migrator(files: Self.replacing(0, "CREATE TABLE wallet.lots (lot bigint);"), logger: .silent)
        let connection = try await connect()
        for work in [
            { _ = try await edited.migrate(url: url) }, { _ = try await edited.check(on: connection) },
            { _ = try await edited.dryRun(on: connection) },
        ] {
            let error = await #expect(throws: MigrationError.self) { try await work() }
            #expect(error?.code == .changed && error?.path == "migrations/0001_lots.sql")
        }
    }

    @Test(.emptyDatabase) func `a migration that fails changes nothing and reports its position`() async throws {
        let url = try TestDatabase.current.url
        let broken =
            "CREATE TABLE wallet.half (n int);\n-- ümlaut\nALTER TABLE wallet.lots\n    DROP COLUMN nowhere, ADD COLUMN;\n"
        let syntax = await #expect(throws: MigrationError.self) {
            _ = try await Migrator(files: Self.replacing(1, broken), logger: .silent).migrate(url: url)
        }
        #expect(syntax?.code == .failed && syntax?.path == "migrations/0002_units.sql" && syntax?.line == 4)
        #expect(syntax?.description.contains("sql/migrations/0002_units.sql, line 4") == true)
        let late = await #expect(throws: MigrationError.self) {
            let contents = "CREATE TABLE wallet.half (n int);\nINSERT INTO wallet.half VALUES (1 / 0);"
            _ = try await Migrator(files: Self.replacing(1, contents), logger: .silent).migrate(url: url)
        }
        #expect(late?.cause?.sqlState == "22012")
        #expect(late?.description.contains("statement 2") == true)
        let connection = try await connect()
        let rows = try await connection.query(
            "SELECT to_regclass('wallet.half') IS NULL AS gone, (SELECT array_agg(id) FROM wallet.migrations) AS ids"
        )
        #expect(try rows[0].decode("gone", as: Bool.self))
        #expect(try rows[0].decode("ids", as: [Int].self) == [1])
        let report = try await Migrator(files: Self.files, logger: .silent).migrate(url: url)
        #expect(report.migrations == ["migrations/0002_units.sql"])
    }

    @Test(.emptyDatabase) func `when one function or view changed, all are applied again`() async throws {
        let url = try TestDatabase.current.url
        let older = try Migrator(files: Self.files, logger: .silent)
        _ = try await older.migrate(url: url)
        let view = "CREATE OR REPLACE VIEW wallet.all_lots AS SELECT lot FROM wallet.lots WHERE false;"
        let newer = try Migrator(files: Self.replacing(3, view), logger: .silent)
        let connection = try await connect()
        #expect(try await newer.check(on: connection) == .repeatablesDiffer(paths: ["views/all_lots.sql"]))
        let report = try await newer.migrate(url: url)
        #expect(report.migrations.isEmpty && report.repeatables.count == 3)
        #expect(try await connection.query("SELECT wallet.count_lots() AS n")[0].decode("n", as: Int.self) == 0)
        #expect(try await newer.check(on: connection) == .upToDate)
        #expect(try await older.check(on: connection).isUsable)
    }

    @Test(.emptyDatabase) func `functions and views may depend on each other in any order`() async throws {
        let files = [
            SQLFile(
                path: "functions/a_rows.sql",
                contents:
                    "CREATE OR REPLACE FUNCTION wallet.rows() RETURNS SETOF wallet.z_view LANGUAGE sql AS 'SELECT * FROM wallet.z_view';"
            ),
            SQLFile(
                path: "functions/z_one.sql",
                contents: "CREATE OR REPLACE FUNCTION wallet.one() RETURNS int LANGUAGE sql AS 'SELECT 1';"
            ),
            SQLFile(
                path: "views/a_top.sql",
                contents: "CREATE OR REPLACE VIEW wallet.top AS SELECT * FROM wallet.rows();"
            ),
            SQLFile(
                path: "views/z_view.sql",
                contents: "CREATE OR REPLACE VIEW wallet.z_view AS SELECT wallet.one() AS n;"
            ),
            SQLFile(path: "grants.sql", contents: "GRANT SELECT ON wallet.top TO public;"),
        ]
        let report = try await Migrator(files: files, logger: .silent).migrate(url: try TestDatabase.current.url)
        #expect(report.repeatables.count == 5 && report.repeatables.last == "grants.sql")
        let connection = try await connect()
        #expect(try await connection.query("SELECT n FROM wallet.top")[0].decode("n", as: Int.self) == 1)
    }

    @Test(.emptyDatabase) func `a function with a missing dependency fails and changes nothing`() async throws {
        let url = try TestDatabase.current.url
        let view = "CREATE OR REPLACE VIEW wallet.all_lots AS\nSELECT * FROM wallet.missing;"
        let error = await #expect(throws: MigrationError.self) {
            _ = try await Migrator(files: Self.replacing(3, view), logger: .silent).migrate(url: url)
        }
        #expect(error?.path == "views/all_lots.sql" && error?.line == 2)
        let connection = try await connect()
        let rows = try await connection.query("SELECT to_regproc('wallet.count_lots') IS NULL AS gone")
        #expect(try rows[0].decode("gone", as: Bool.self))
    }

    @Test(.emptyDatabase) func `a newer database is distinguished from an outdated one`() async throws {
        let url = try TestDatabase.current.url
        let connection = try await connect()
        let first = try Migrator(files: [Self.files[0]], logger: .silent)
        #expect(try await first.check(on: connection) == .behind(pending: ["migrations/0001_lots.sql"]))
        _ = try await first.migrate(url: url)
        let second = try Migrator(files: Array(Self.files[0...1]), logger: .silent)
        #expect(try await second.check(on: connection) == .behind(pending: ["migrations/0002_units.sql"]))
        _ = try await second.migrate(url: url)
        #expect(try await first.check(on: connection) == .databaseIsNewer(breaking: false))
        #expect(try await first.check(on: connection).isUsable)
        let breaking = SQLFile(path: "migrations/0003_gone.sql", contents: "--! breaking\nDROP TABLE wallet.lots;")
        _ = try await Migrator(files: Array(Self.files[0...1]) + [breaking], logger: .silent).migrate(url: url)
        #expect(try await first.check(on: connection) == .databaseIsNewer(breaking: true))
        #expect(try await !first.check(on: connection).isUsable)
        #expect(try await first.status(on: connection).map(\.isKnown) == [true, false, false])
        let refused = await #expect(throws: MigrationError.self) { _ = try await first.migrate(url: url) }
        #expect(refused?.code == .newerDatabase)
    }

    @Test(.emptyDatabase) func `a dry run lists what is missing and changes nothing`() async throws {
        let connection = try await connect()
        let migrator = try Migrator(files: Self.files, logger: .silent)
        let plan = try await migrator.dryRun(on: connection)
        #expect(plan.migrations.count == 2 && plan.repeatables.count == 3)
        #expect(try await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = 'wallet'").isEmpty)
        #expect(try await migrator.status(on: connection).allSatisfy { !$0.isApplied })
        #expect(try await migrator.migrate(on: connection) == plan)
        #expect(try await migrator.dryRun(on: connection).isEmpty)
    }

    @Test(.emptyDatabase) func `a file that ends its transaction is refused`() async throws {
        let file = SQLFile(path: "migrations/0001_bad.sql", contents: "CREATE TABLE wallet.x (); COMMIT;")
        let error = await #expect(throws: MigrationError.self) {
            _ = try await Migrator(files: [file], logger: .silent).migrate(url: try TestDatabase.current.url)
        }
        #expect(error?.code == .badFiles)
    }

    @Test(arguments: [
        ["migrations/0001_a.sql", "migrations/0001_b.sql"], ["migrations/0001_a.sql", "migrations/0003_b.sql"],
        ["migrations/0002_a.sql"], ["migrations/first.sql"], ["migrations/0000_a.sql"], ["migration/0001_a.sql"],
    ])
    func `duplicate numbers, gaps and invalid names are refused`(paths: [String]) {
        let error = #expect(throws: MigrationError.self) {
            _ = try Migrator(files: paths.map { SQLFile(path: $0, contents: "") }, logger: .silent)
        }
        #expect(error?.code == .badFiles)
    }

    /// Returns the files, with new contents for one of them.
    static func replacing(_ index: Int, _ contents: String) -> [SQLFile] {
        var files = Self.files
        files[index] = SQLFile(path: files[index].path, contents: contents)
        return files
    }
}
