import AsyncHTTPClient
import CommandOutput
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import WalletDev

@Suite(.serialized) struct DevTests {
    @Test func `dev runs its printed tour, ends cleanly, and continues with its data`() async throws {
        let home = try TemporaryDirectory()
        let data = "\(home.path)/data"

        let first = try await self.start(data)
        let mode = try FileManager.default.attributesOfItem(atPath: "\(data)/dev.json")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let tour = try await self.runTour(printedBy: first)
        #expect(tour.balance == 50)
        #expect(tour.bookingStatuses == ["booked"])
        #expect(tour.cancelled == "cancelled")
        #expect(tour.creditsAfterwards == 50)
        #expect(tour.subscriptions == ["active, ends"])
        #expect(try await first.stop() == 0)
        #expect(first.errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(data)/dev.json"))
        try await eventually("no process is left") { try self.processes(naming: data) == 0 }

        let second = try await self.start(data)
        let again = try await self.runTour(printedBy: second)
        #expect(again.balance == 100)
        #expect(again.bookingStatuses == ["booked", "cancelled"])
        #expect(again.subscriptions == ["active, ends"])
        // On a busy machine, the wallet may answer the store before it has applied the message, but not each time.
        var isKnown = tour.wasKnown || again.wasKnown
        for _ in 0..<18 where !isKnown { isKnown = try await self.runTour(printedBy: second).wasKnown }
        #expect(isKnown)
        #expect(try await second.stop() == 0)
    }

    @Test func `killing dev also ends its server, and dev starts again`() async throws {
        let home = try TemporaryDirectory()
        let data = "\(home.path)/data"

        let first = try await self.start(data)
        first.send(SIGKILL)
        _ = try await first.exitStatus()
        try await eventually("no process is left") { try self.processes(naming: data) == 0 }

        let second = try await self.start(data)
        #expect(try await second.stop() == 0)
    }

    @Test func `a second dev on the same directory is refused and the first is unharmed`() async throws {
        let home = try TemporaryDirectory()
        let data = "\(home.path)/data"
        let first = try await self.start(data)

        let second = try await Executable.run(["dev", "--data", data, "--http-port", "0", "--store-port", "0"])

        #expect(second.status == 69)
        #expect(second.errors.contains("in use"))
        #expect(FileManager.default.fileExists(atPath: "\(data)/dev.json"))
        #expect(try await first.stop() == 0)
    }

    @Test func `a port in use ends dev with an error and leaves nothing behind`() async throws {
        let home = try TemporaryDirectory()
        let first = try await self.start("\(home.path)/first")
        let url = try self.description(of: "\(home.path)/first").httpURL
        let taken = try #require(URL(string: url)?.port)

        let second = try await Executable.run(
            ["dev", "--data", "\(home.path)/second", "--http-port", "\(taken)", "--store-port", "0"]
        )

        #expect(second.status == 69)
        #expect(second.errors == "credit-wallet: Port \(taken) is in use; try --http-port 0.\n")
        try await eventually("no process is left") { try self.processes(naming: "\(home.path)/second") == 0 }
        #expect(!FileManager.default.fileExists(atPath: "\(home.path)/second/dev.json"))
        #expect(try await first.stop() == 0)
    }

    @Test func `dev prints one line per request, and --reset starts with empty data`() async throws {
        let home = try TemporaryDirectory()
        let data = "\(home.path)/data"
        let first = try await self.start(data)
        let tour = try await self.runTour(printedBy: first)
        #expect(tour.balance == 50)
        let requests = ["  201 POST   /bookings  ", "  200 POST   /webhooks/app-store  "]
        try await eventually("both requests are printed") { requests.allSatisfy { first.output.contains($0) } }
        let lines = first.output.split(separator: "\n").filter { $0.prefixMatch(of: /\d\d:\d\d:\d\d\s/) != nil }
        for request in requests { #expect(lines.contains { $0.contains(request) }) }
        #expect(try await first.stop() == 0)

        let second = try await self.start(data, "--reset")
        #expect(try await self.runTour(printedBy: second).balance == 50)
        #expect(try await second.stop() == 0)
        try await eventually("no process is left") { try self.processes(naming: data) == 0 }
    }

    @Test func `the commands in the README buy a pack and book a class`() async throws {
        let home = try TemporaryDirectory()
        let dev = try await self.start("\(home.path)/data")
        let addresses = dev.output.split(separator: "\n").filter { $0.prefixMatch(of: /(WALLET|STORE|TOKEN)=/) != nil }
        try #require(addresses.count == 3)
        let file = URL(filePath: #filePath).appending(path: "../../../../README.md").standardizedFileURL
        let readme = try String(contentsOf: file, encoding: .utf8)
        let block = try #require(readme.components(separatedBy: "```sh\n").first { $0.hasPrefix("# buy 50 credits") })
        let commands = try #require(block.components(separatedBy: "```").first)
        let parts = commands.components(separatedBy: "\n\n")
        try #require(parts.count == 2)
        func run(_ lines: String) async throws -> String {
            let script = addresses.joined(separator: "\n") + "\n" + lines
            let result = try await ChildProcess.run(["bash", "-euc", script])
            try #require(result.status == 0, "\(result.output)")
            return result.output
        }
        _ = try await run(parts[0])
        // On a busy machine, the store may not wait long enough for the wallet.
        try await eventually("50 credits") {
            let balance = try await run(#"curl -sS "$WALLET/balance" -H "Authorization: Bearer $TOKEN""#)
            return balance.contains(/"credits" ?: ?50\b/)
        }
        let booked = try await run(parts[1])
        #expect(booked.contains("\"confirmation_code\""), "\(booked)")
        #expect(booked.contains(/"credits" ?: ?30\b/), "\(booked)")
        #expect(try await dev.stop() == 0)
    }

    @Test func `dev refuses requests from foreign web pages`() async throws {
        let home = try TemporaryDirectory()
        let dev = try await self.start("\(home.path)/data")
        let wallet = try self.description(of: "\(home.path)/data").httpURL
        let port = try #require(URL(string: wallet)?.port)
        func status(_ method: HTTPMethod, _ path: String, _ fields: [(String, String)]) async throws -> UInt {
            var request = HTTPClientRequest(url: wallet + path)
            request.method = method
            for (name, value) in fields { request.headers.add(name: name, value: value) }
            if method == .POST { request.body = .bytes(ByteBuffer(string: "{}")) }
            return try await HTTPClient.shared.execute(request, timeout: .seconds(10)).status.code
        }

        #expect(try await status(.GET, "/packs", []) == 200)
        #expect(try await status(.GET, "/packs", [("Host", "localhost:\(port)")]) == 200)
        #expect(try await status(.GET, "/packs", [("Host", "evil.example:\(port)")]) == 421)
        #expect(try await status(.GET, "/packs", [("Origin", "https://evil.example")]) == 403)
        #expect(try await status(.GET, "/packs", [("Origin", "null")]) == 403)
        #expect(try await status(.POST, "/functions/v1/bookings", [("Origin", "https://evil.example")]) == 403)
        let form = [("Content-Type", "text/plain")]
        #expect(try await status(.POST, "/webhooks/revenuecat", form) == 415)
        // A page under development on this machine may call the functions, as it may call any other service.
        let page = [("Origin", "http://localhost:5173")]
        #expect(try await status(.OPTIONS, "/functions/v1/bookings", page) == 200)
        #expect(try await status(.GET, "/functions/v1/credit-packs", page) != 403)
        #expect(try await dev.stop() == 0)
    }

    /// The contents of `dev.json` that scripts read.
    private struct Description: Decodable {
        let httpURL: String

        private enum CodingKeys: String, CodingKey {
            case httpURL = "http_url"
        }
    }

    private struct Tour {
        let balance: Int
        let bookingStatuses: [String]
        let cancelled: String
        let creditsAfterwards: Int
        /// A Boolean value that indicates whether the store's own message had arrived before the receipt.
        let wasKnown: Bool
        let subscriptions: [String]
    }

    /// Starts `dev` on free ports and waits until it reports that it is ready.
    private func start(_ data: String, _ options: String...) async throws -> RunningExecutable {
        let ports = ["--http-port", "0", "--store-port", "0"]
        let dev = try RunningExecutable(["dev", "--data", data] + ports + options)
        try await dev.wait(until: "dev is ready") { dev.output.contains("is ready") }
        return dev
    }

    private func description(of data: String) throws -> Description {
        try JSONDecoder().decode(Description.self, from: Data(contentsOf: URL(filePath: "\(data)/dev.json")))
    }

    /// Runs in a shell the commands that `dev` printed; each prints its response on one line.
    private func runTour(printedBy dev: RunningExecutable) async throws -> Tour {
        try await eventually("the tour is printed") { dev.output.contains("$WALLET/subscriptions\"") }
        // The lines after the tour log requests.
        let lines = dev.output.split(separator: "\n").drop { !$0.hasPrefix("WALLET=") }
            .filter { $0.prefixMatch(of: /\d\d:\d\d:\d\d\s/) == nil }.joined(separator: "\n")
        let result = try await ChildProcess.run(["bash", "-euc", lines])
        try #require(result.status == 0, "\(result.output)")
        let answers = try result.output.split(separator: "\n").map { line in
            let answer = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(answer as? [String: Any])
        }
        try #require(answers.count == 5)
        let granted = try #require(answers[0]["granted"] as? [[String: Any]])
        let subscriptions = try #require(answers[4]["subscriptions"] as? [[String: Any]])
        let bookings = try #require(answers[2]["bookings"] as? [[String: Any]])
        let booking = try #require(answers[3]["booking"] as? [String: Any])
        let balance = try #require(answers[3]["balance"] as? [String: Any])
        return Tour(
            balance: try #require(answers[1]["credits"] as? Int),
            bookingStatuses: bookings.compactMap { $0["status"] as? String },
            cancelled: try #require(booking["status"] as? String),
            creditsAfterwards: try #require(balance["credits"] as? Int),
            wasKnown: granted.allSatisfy { $0["duplicate"] as? Bool == true },
            subscriptions: subscriptions.map { subscription in
                let renews = subscription["will_renew"] as? Bool == true
                return "\(subscription["status"] as? String ?? ""), \(renews ? "renews" : "ends")"
            }
        )
    }

    /// Returns the number of processes with the path in their command line.
    private func processes(naming path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.count { process in
            // A process that has ended meanwhile has no command line.
            let line = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
            return line?.contains(path) ?? false
        }
    }
}
