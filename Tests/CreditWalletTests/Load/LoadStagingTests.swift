import Foundation
import Postgres
import TestSupport
import Testing

@testable import CreditWallet

/// Tests of `load` against the operator's own service, where it creates users and classes over HTTP and removes
/// them.
@Suite struct LoadStagingTests {
    private struct Figures: Decodable {
        struct Reads: Decodable {
            let sent: Int
            let failed: Int
            let answers: [String: Int]
            let latencyMs: [String: Double]
        }

        let run: String
        let users: Int
        let classes: Int
        let rampSeconds: Int
        let sent: Int
        let booked: Int
        let failed: Int
        let reads: Reads?
        let books: String
    }

    /// Two issuers, one of them for operators; an operator may move at most seven credits in one call.
    private static let settings = [
        "AUTH_ISSUERS": "main,staff", "AUTH_MAIN_PREFIX": "app|", "AUTH_STAFF_ISSUER": "https://staff.example",
        "AUTH_STAFF_AUDIENCES": "authenticated", "AUTH_STAFF_PURPOSE": "operators",
        "AUTH_STAFF_HS256_SECRET": "another-secret-of-at-least-32-bytes-for-staff", "OPERATOR_MAXIMUM_AMOUNT": "7",
    ]

    private static func count(_ query: Query) async throws -> Int64? {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        return try await connection.query(query).first?.decode("n")
    }

    /// Returns how many users, open classes and bookings of a load exist.
    private static func remains() async throws -> [Int64?] {
        [
            try await Self.count("SELECT count(*) AS n FROM wallet.identities WHERE user_id LIKE '%load-%'"),
            try await Self.count(
                "SELECT count(*) AS n FROM wallet.classes WHERE class_id LIKE 'load-%' AND status <> 'cancelled'"
            ),
            try await Self.count("SELECT count(*) AS n FROM wallet.bookings WHERE cancelled_at IS NULL"),
        ]
    }

    @Test(.database, .timeLimit(.minutes(10))) func `one command creates, books, reads, checks and removes`()
        async throws
    {
        let served = try await LoadedService(Self.settings)
        let result = try await Executable.run(
            [
                "load", "--url", served.url, "--make-users", "6", "--make-classes", "20", "--rate", "40", "--ramp", "1",
                "--duration", "1", "--read-share", "0.5", "--timeout", "60", "--json", "-", "--database-url",
                try TestDatabase.current.url,
            ],
            environment: served.environment
        )
        #expect(result.status == 0, "\(result.errors)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let figures = try decoder.decode(Figures.self, from: Data(result.output.utf8))
        #expect(figures.users == 6 && figures.classes == 20 && figures.rampSeconds == 1)
        let reads = try #require(figures.reads)
        #expect(figures.sent + reads.sent == 60)
        #expect(figures.booked == figures.sent && figures.booked > 0)
        #expect(reads.answers.values.reduce(0, +) == reads.sent && reads.sent > 0)
        #expect(reads.answers.keys.allSatisfy { ["balance 200", "classes 200", "bookings 200"].contains($0) })
        #expect(reads.failed == 0 && reads.latencyMs["p99", default: 0] > 0)
        #expect(figures.books == "in-order")
        #expect(result.errors.contains("the load is still growing"))
        #expect(result.errors.contains("removing: 26 users and classes in"))

        // Six users had twenty credits each, granted in parts of at most seven.
        let parts: Query = "SELECT count(*) AS n FROM wallet.lots WHERE source = 'adjustment' AND granted < 8"
        #expect(try await Self.count(parts) == 18)
        #expect(try await Self.remains() == [0, 0, 0])
        let made: Query = "SELECT count(*) AS n FROM wallet.classes WHERE class_id LIKE 'load-%'"
        #expect(try await Self.count(made) == 20)
        let books = try await Executable.run(["verify"], environment: ["DATABASE_URL": try TestDatabase.current.url])
        #expect(books.status == 0, "\(books.output)")
        #expect(try await served.stop() == 0)
    }

    @Test(.database, .timeLimit(.minutes(10))) func `a load that ends early removes what it created`() async throws {
        let served = try await LoadedService(Self.settings)
        let running = try RunningExecutable(
            [
                "load", "--url", served.url, "--make-users", "5", "--make-classes", "30", "--rate", "10",
                "--duration", "60",
            ],
            environment: served.environment
        )
        let booked: Query = "SELECT count(*) AS n FROM wallet.bookings"
        while running.isRunning, try await Self.count(booked) ?? 0 < 3 { try await Task.sleep(for: .milliseconds(20)) }
        running.send(SIGINT)
        #expect(try await running.exitStatus() == 1)
        #expect(running.errors.contains("removing: 35 users and classes in"))
        #expect(running.errors.hasSuffix("Interrupted by a signal.\n"))
        #expect(try await Self.remains() == [0, 0, 0])
        #expect(try await served.stop() == 0)
    }

    @Test(.database, .timeLimit(.minutes(10))) func `a load with rejected tokens reports them and creates nothing`()
        async throws
    {
        let served = try await LoadedService(Self.settings)
        let arguments = ["load", "--url", served.url, "--make-users", "5"]
        var environment = served.environment
        environment["OPERATOR_TOKEN"] = try await served.token(for: "user-1")
        let noOperator = try await Executable.run(arguments, environment: environment)
        #expect(noOperator.status == 78)
        #expect(noOperator.errors.contains("rejected the operator's token: 401 unauthenticated"))

        environment["AUTH_MAIN_HS256_SECRET"] = "a-third-secret-of-at-least-32-bytes-nobody-has"
        let noUser = try await Executable.run(arguments, environment: environment)
        #expect(noUser.status == 78)
        #expect(noUser.errors.contains("rejected a token of https://issuer.example: 401 unauthenticated"))

        environment["AUTH_ISSUERS"] = "staff"
        let noIssuer = try await Executable.run(arguments, environment: environment)
        #expect(noIssuer.status == 78)
        #expect(noIssuer.errors.contains("No issuer of users in AUTH_ISSUERS has an HS256 secret"))
        #expect(try await Self.count("SELECT count(*) AS n FROM wallet.classes WHERE class_id LIKE 'load-%'") == 0)
        #expect(try await served.stop() == 0)
    }

    @Test(.database, .timeLimit(.minutes(10))) func `a user with many bookings is removed`() async throws {
        let served = try await LoadedService(Self.settings.merging(["STUDIO_INTERVAL": "1"]) { $1 })
        let result = try await Executable.run(
            [
                "load", "--url", served.url, "--pattern", "one-wallet", "--make-classes", "130", "--clients", "8",
                "--duration", "60",
            ],
            environment: served.environment
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("load: 130 bookings, 0 failed"))
        #expect(try await Self.remains() == [0, 0, 0])
        #expect(try await served.stop() == 0)
    }

    @Test func `files of tokens and created users exclude each other`() async throws {
        for more in [["--make-users", "5"], ["--operator-token", "a"], ["--keep"]] {
            let result = try await Executable.run(
                ["load", "--url", "http://127.0.0.1:1", "--tokens", "a", "--classes", "b"] + more
            )
            #expect(result.status == 64)
            #expect(result.errors.contains("--tokens and --classes exclude --make-users"))
        }
    }
}
