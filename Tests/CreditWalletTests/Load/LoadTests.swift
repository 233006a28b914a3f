import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

@testable import CreditWallet
@testable import WalletDev
@testable import WalletLoad

@Suite struct LoadTests {
    /// Lets a busy machine send and answer all requests: an open loop ends this long after its duration.
    private static let patience = ["--timeout", "60"]

    /// The members of the `--json` output that these tests read.
    private struct Figures: Decodable {
        let loop: String
        let sent: Int
        let booked: Int
        let failed: Int
        let unsent: Int
        let statuses: [String: Int]
        let answers: [String: Int]
        let cancellations: [String: Int]
        let latencyMs: [String: Double]
        let books: String
        let faults: [String]
    }

    private struct Outcome {
        let result: Executable.Result
        let figures: Figures
    }

    /// Runs `load` and decodes its figures.
    private func load(_ arguments: [String]) async throws -> Outcome {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/figures.json"
        let result = try await Executable.run(["load", "--json", file] + arguments)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = try #require(FileManager.default.contents(atPath: file), "\(result.errors)")
        return Outcome(result: result, figures: try decoder.decode(Figures.self, from: data))
    }

    @Test(.timeLimit(.minutes(10))) func `a dev directory passes both loops and every pattern with correct books`()
        async throws
    {
        let home = try TemporaryDirectory()
        let data = "\(home.path)/data"
        let dev = try RunningExecutable(["dev", "--data", data, "--http-port", "0", "--store-port", "0"])
        try await dev.wait(until: "dev is ready") { dev.output.contains("is ready") }

        let pace = ["--rate", "20", "--duration", "2", "--cancel-share", "0.5"]
        let open = try await self.load(["--data", data] + pace + Self.patience)
        #expect(open.result.status == 0, "\(open.result.errors)")
        #expect(open.figures.loop == "open")
        #expect(open.figures.sent == 40)
        #expect(open.figures.statuses == ["201": 40])
        #expect((open.figures.cancellations["200"] ?? 0) > 0)
        #expect(open.figures.books == "in-order")
        #expect(open.result.output.hasSuffix("\nload: 40 bookings, 0 failed, books in order\n"))
        #expect(open.result.errors.contains("1 of 2 s: "))

        let slow = try await Executable.run(
            ["load", "--data", data, "--clients", "2", "--duration", "1", "--max-p99-ms", "0.001", "--json", "-"]
        )
        #expect(slow.status == 1)
        #expect(slow.errors.contains("The 99th percentile of bookings was"))
        #expect(try JSONSerialization.jsonObject(with: Data(slow.output.utf8)) is [String: Any])

        let rates = ["--sweep", "10,20.5", "--duration", "1"]
        let before = Date()
        let sweep = try await Executable.run(["load", "--data", data] + rates + Self.patience)
        #expect(sweep.status == 0, "\(sweep.errors)")
        let lines = sweep.output.split(separator: "\n").suffix(4).map(String.init)
        #expect(lines[0].hasPrefix("credit-wallet \(VersionCommand.current), PostgreSQL 1"), "\(lines)")
        #expect(lines[0].contains(" × ") && lines[0].contains("1 s each"))
        let days = [before, Date()].map { $0.formatted(.iso8601.year().month().day()) }
        #expect(days.contains { lines[0].contains(", \($0); ") }, "\(lines[0])")
        #expect(
            lines[1].split(separator: " ") == [
                "rate/s", "booked/s", "p50", "ms", "p99", "ms", "max", "ms", "refused", "failed",
            ]
        )
        #expect(lines[2].split(separator: " ").first == "10" && lines[3].split(separator: " ").first == "20.5")
        #expect(lines[2...].allSatisfy { $0.hasSuffix("           0           0") })
        let both = try await Executable.run(["load", "--data", data, "--sweep", "10,x", "--duration", "1"])
        #expect(both.errors.contains("--sweep must be 1 to 50 rates"))

        for pattern in LoadPattern.allCases {
            // Each load ends once every user has booked every class.
            let made = ["--make-users", "15", "--make-classes", "15"]
            let load = ["--data", data, "--clients", "4", "--duration", "60", "--pattern", pattern.rawValue]
            let closed = try await self.load(load + made + Self.patience)
            #expect(closed.result.status == 0, "\(closed.result.errors)")
            #expect(closed.figures.loop == "closed")
            #expect(closed.figures.booked > 4)
            #expect(closed.figures.answers == ["201": closed.figures.booked])
            #expect(closed.figures.books == "in-order")
        }
        #expect(try await dev.stop() == 0)
    }

    @Test(.database, .timeLimit(.minutes(10))) func `serve passes a load from files; corrupt books fail the load`()
        async throws
    {
        let served = try await LoadedService()
        let files = ["--tokens", served.tokens, "--classes", served.classes]
        let arguments = ["--url", served.url] + files + Self.patience
        let database = ["--database-url", try TestDatabase.current.url]

        let blind = try await self.load(arguments + ["--rate", "30", "--duration", "1"])
        #expect(blind.result.status == 0, "\(blind.result.errors)")
        #expect(blind.figures.statuses == ["201": 30])
        #expect(blind.figures.books == "not-checked")
        #expect(blind.result.output.contains("the books were not checked"))

        // Only one of the two users can pay.
        try await served.execute("SELECT wallet.account_for('poor')")
        let poor = try await served.token(for: "poor")
        try served.write([try await served.token(for: "user-2"), poor])
        let refused = try await self.load(arguments + database + ["--rate", "30", "--duration", "1"])
        #expect(refused.result.status == 0, "\(refused.result.errors)")
        #expect(Set(refused.figures.statuses.keys) == ["201", "402"])
        #expect(refused.figures.answers["402 insufficient-credits"] == refused.figures.statuses["402"])
        #expect(refused.figures.failed == 0)
        #expect(refused.figures.books == "in-order")

        try served.write([poor])
        let none = try await self.load(arguments + ["--clients", "1", "--duration", "1"])
        #expect(none.result.status == 1)
        #expect(none.result.errors.contains("Nothing was booked."))

        try await served.execute(
            "SET session_replication_role = replica; UPDATE wallet.wallets SET credits = credits + 1 WHERE credits > 0"
        )
        try served.write([try await served.token(for: "user-3")])
        let broken = try await self.load(arguments + database + ["--clients", "1", "--duration", "1"])
        #expect(broken.result.status == 1)
        #expect(broken.figures.booked > 0)
        #expect(broken.figures.books == "off")
        #expect(broken.figures.faults.contains { $0.hasPrefix("wallet_sums: production account") })
        #expect(broken.result.output.contains("BOOKS ARE WRONG"))
        #expect(try await served.stop() == 0)
    }

    @Test(.database, .timeLimit(.minutes(10))) func `a service that is killed loses responses, and no booking`()
        async throws
    {
        // With so many classes, the load does not end before the service is killed.
        var served = try await LoadedService(classes: 2_000)
        var tokens: [String] = []
        for number in 1...3 { tokens.append(try await served.token(for: "user-\(number)")) }
        try served.write(tokens)
        let arguments = [
            "--url", served.url, "--tokens", served.tokens, "--classes", served.classes,
            "--database-url", try TestDatabase.current.url, "--clients", "4", "--duration", "8",
        ]
        async let load = self.load(arguments)
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        var booked: Int64 = 0
        while booked < 10 {
            try await Task.sleep(for: .milliseconds(20))
            booked = try await connection.query("SELECT count(*) AS n FROM wallet.bookings").first?.decode("n") ?? 0
        }
        try await served.crash()

        let outcome = try await load
        #expect(outcome.result.status == 0, "\(outcome.result.errors)")
        #expect(outcome.figures.answers["connection lost", default: 0] > 0)
        #expect(outcome.figures.failed >= outcome.figures.answers["connection lost", default: 0])
        #expect(outcome.figures.booked > 0)
        #expect(outcome.figures.books == "in-order")
        #expect(try await served.stop() == 0)
    }

    @Test(.database) func `bookings that a service only claims to make fail the check`() async throws {
        let files = try LoadFiles(tokens: ["a.b.c"], classes: (1...50).map { "class-\($0)" })
        try await StallingServer.run(stall: 1_000...1_001) { url in
            let load = try await self.load(
                [
                    "--url", url, "--rate", "10", "--duration", "1",
                    "--database-url", try TestDatabase.current.serviceURL,
                ] + files.arguments
            )
            #expect(load.result.status == 1)
            #expect(load.figures.booked == 10)
            #expect(load.figures.faults.count == 10)
            #expect(load.figures.faults.allSatisfy { $0.hasSuffix("confirmed by the service, but not in the books") })
        }
    }

    @Test func `an open loop counts requests that a stall delays before they are sent`() async throws {
        let files = try LoadFiles(tokens: ["a.b.c"], classes: (1...500).map { "class-\($0)" })
        try await StallingServer.run(stall: 0.5...1.5) { url in
            let load = try await self.load(
                ["--url", url, "--rate", "100", "--duration", "4", "--connections", "4"] + files.arguments
                    + Self.patience
            )
            // During the stall, four requests are open and about a hundred of the four hundred become due.
            #expect(load.figures.sent == 400)
            #expect(load.figures.booked == 400)
            #expect(load.figures.latencyMs["p99", default: 0] > 900)
            #expect(load.figures.latencyMs["p90", default: 0] > 500)
        }
    }

    @Test func `unanswered and unsent requests count as failed`() async throws {
        let files = try LoadFiles(tokens: ["a.b.c"], classes: (1...500).map { "class-\($0)" })
        try await StallingServer.run(stall: 0.0...60) { url in
            let load = try await self.load(
                [
                    "--url", url, "--rate", "20", "--duration", "1", "--connections", "2", "--timeout", "1",
                ] + files.arguments
            )
            #expect(load.result.status == 1)
            #expect(load.figures.failed == 20)
            #expect(load.figures.answers["timeout"] == load.figures.sent)
            #expect(load.figures.unsent == 20 - load.figures.sent)
            #expect(load.figures.unsent > 10)
            #expect(load.figures.latencyMs["p50", default: 0] > 1_000)
        }
    }

    @Test func `another machine, and an unreachable service, are refused with a reason`() async throws {
        let files = try LoadFiles(tokens: ["a.b.c"], classes: ["class-1"])
        let away = try await Executable.run(["load", "--url", "http://192.0.2.1:80"] + files.arguments)
        #expect(away.status == 78)
        #expect(away.errors.contains("--allow-host 192.0.2.1"))

        let port = try FreePort.find()
        let nobody = try await Executable.run(["load", "--url", "http://127.0.0.1:\(port)"] + files.arguments)
        #expect(nobody.status == 69)
        #expect(nobody.errors.contains("Cannot open 16 connections"))

        let books = ["--database-url", "postgresql://127.0.0.1:\(port)/none"]
        let noBooks = try await Executable.run(["load", "--url", "http://127.0.0.1:\(port)"] + books + files.arguments)
        #expect(noBooks.status == 69)
        #expect(noBooks.errors.contains("Database error: database-unavailable."))
    }
}
