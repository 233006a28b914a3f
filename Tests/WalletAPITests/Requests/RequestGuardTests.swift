import Foundation
import HTTPTypes
import HummingbirdTesting
import Stores
import Testing

@testable import WalletAPI

/// Tests over real sockets of slow and idle connections and of connection limits.
@Suite struct RequestGuardTests {
    private static let impatient = HTTPLimits {
        $0.headTimeout = .milliseconds(400)
        $0.bodyTimeout = .milliseconds(400)
    }

    private func serve(
        _ limits: HTTPLimits = Self.impatient,
        idleTimeout: Int = 75,
        _ test: @escaping @Sendable (ServerHarness) async throws -> Void
    ) async throws {
        try await ServerHarness.withoutDatabase(setup: .live, idleTimeout: idleTimeout, limits: limits) { server in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
            #expect(try await server.send(.get, "/health").status == 200)
            try await test(server)
        }
    }

    /// Returns the head of a request that waits for its body without using the database.
    private static func head(_ fields: String) throws -> String {
        """
        PUT /operator/classes/pottery HTTP/1.1\r
        Host: wallet\r
        Authorization: Bearer \(try ServerHarness.operatorToken())\r
        Idempotency-Key: k\r
        Content-Type: application/json\r
        \(fields)\r
        \r

        """
    }

    @Test func `requests that do not wait for responses are answered up to a limit`() async throws {
        try await self.serve { server in
            let request = "GET /health HTTP/1.1\r\nHost: wallet\r\n\r\n"
            let few = try await RawConnection.open(port: server.client.port)
            await few.send(String(repeating: request, count: 16))
            #expect(try await few.answers(16) == 16)
            #expect(few.isOpen)
            await few.close()
            let many = try await RawConnection.open(port: server.client.port)
            await many.send(String(repeating: request, count: 10_000))
            #expect(try await many.dribble("", upTo: .seconds(60)) != nil, "the connection is closed")
            #expect(try await many.answers(1_000, within: .zero) < 1_000)
        }
    }

    @Test func `a client that does not read its responses is disconnected`() async throws {
        let limits = HTTPLimits { $0.unreadTimeout = .milliseconds(400) }
        try await self.serve(limits) { server in
            let connection = try await RawConnection.open(port: server.client.port, isReading: false)
            await connection.send(String(repeating: "GET /openapi.yaml HTTP/1.1\r\nHost: wallet\r\n\r\n", count: 16))
            // The client notices the end when its own requests meet a closed connection.
            let taken = try await connection.dribble("GET /health HTTP/1.1\r\nHost: wallet\r\n\r\n", upTo: .seconds(60))
            #expect(taken != nil)
        }
    }

    @Test func `a head that dribbles in is cut off in time, and answered so`() async throws {
        try await self.serve { server in
            let connection = try await RawConnection.open(port: server.client.port)
            await connection.send("GET /health HTTP/1.1\r\nHost: wallet\r\n")
            let taken = try #require(try await connection.dribble("x", upTo: .seconds(60)))
            #expect(taken < .seconds(30))
            #expect(connection.text.hasPrefix("HTTP/1.1 408 "))
            #expect(connection.text.contains("problems/request-timeout"))
            #expect(connection.text.lowercased().contains("connection: close"))
        }
    }

    @Test func `a body that dribbles in is cut off in time, and answered so`() async throws {
        try await self.serve { server in
            let connection = try await RawConnection.open(port: server.client.port)
            await connection.send(try Self.head("Content-Length: 1000"))
            let taken = try #require(try await connection.dribble(" ", upTo: .seconds(60)))
            #expect(taken < .seconds(30))
            #expect(connection.text.hasPrefix("HTTP/1.1 408 "))
            #expect(connection.text.contains("problems/request-timeout"))
            #expect(connection.text.lowercased().contains("connection: close"))
        }
    }

    @Test func `an ignored request body cannot continue endlessly`() async throws {
        try await self.serve { server in
            let connection = try await RawConnection.open(port: server.client.port)
            await connection.send("POST /bookings HTTP/1.1\r\nHost: wallet\r\nTransfer-Encoding: chunked\r\n\r\n")
            let taken = try #require(try await connection.dribble("1\r\nx\r\n", upTo: .seconds(60)))
            #expect(taken < .seconds(30))
            #expect(connection.text.hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test func `a silent connection is closed after the idle timeout`() async throws {
        try await self.serve(HTTPLimits(), idleTimeout: 1) { server in
            let start = ContinuousClock.now
            let connection = try await RawConnection.open(port: server.client.port)
            #expect(try await connection.dribble("", upTo: .seconds(60)) != nil)
            #expect(start.duration(to: .now) > .milliseconds(500))
            #expect(connection.text.isEmpty)
        }
    }

    @Test func `a new silent connection is closed long before an idle one`() async throws {
        let limits = HTTPLimits {
            $0.connections = 4
            $0.firstByteTimeout = .seconds(3)
        }
        let configuration = WalletServerConfiguration {
            $0.port = 0
            $0.limits = limits
        }
        try await ServerHarness.running(configuration) { port, _ in
            let request = "GET /health HTTP/1.1\r\nHost: wallet\r\n\r\n"
            let talkative = try await RawConnection.open(port: port)
            await talkative.send(request)
            #expect(try await talkative.answers(1) == 1)
            var silent: [RawConnection] = []
            for _ in 0..<6 { silent.append(try await RawConnection.open(port: port)) }
            let next = try await RawConnection.open(port: port)
            await next.send(request)
            #expect(try await next.answers(1, within: .seconds(30)) == 1)
            for connection in silent {
                #expect(try await connection.dribble("", upTo: .seconds(60)) != nil)
                #expect(connection.text.isEmpty)
            }
            // Silence after a request falls under the idle timeout.
            await talkative.send(request)
            #expect(try await talkative.answers(2) == 2)
            await talkative.close()
            await next.close()
        }
    }

    @Test func `connections per address are limited, except for a trusted proxy`() async throws {
        let loopback = try ["127.0.0.0/8", "::1"].map { try #require(InternetNetwork($0)) }
        let cases: [(proxies: [InternetNetwork], expected: Int)] = [([], 2), (loopback, 4)]
        for (proxies, expected) in cases {
            let limits = HTTPLimits {
                $0.connectionsPerAddress = 2
                $0.trustedProxies = proxies
            }
            let configuration = WalletServerConfiguration {
                $0.port = 0
                $0.limits = limits
            }
            try await ServerHarness.running(configuration) { port, _ in
                let request = "GET /health HTTP/1.1\r\nHost: wallet\r\n\r\n"
                var answered: [RawConnection] = []
                for _ in 0..<4 {
                    let connection = try await RawConnection.open(port: port)
                    await connection.send(request)
                    let wait: Duration = answered.count < expected ? .seconds(60) : .milliseconds(300)
                    if try await connection.answers(1, within: wait) == 1 { answered.append(connection) }
                }
                #expect(answered.count == expected)
                try await #require(answered.first).close()
                // The server notices the closed connection a moment later.
                var again = 0
                for _ in 0..<50 where again == 0 {
                    let connection = try await RawConnection.open(port: port)
                    await connection.send(request)
                    again = try await connection.answers(1, within: .seconds(1))
                    await connection.close()
                }
                #expect(again == 1)
                for connection in answered { await connection.close() }
            }
        }
    }

    @Test func `a request in timely pieces is answered, and so is the next one`() async throws {
        // A busy machine takes seconds for the pieces of one head.
        let limits = HTTPLimits { $0.headTimeout = .seconds(8) }
        try await self.serve(limits) { server in
            let connection = try await RawConnection.open(port: server.client.port)
            for _ in 0..<2 {
                for piece in ["GET /hea", "lth HTTP/1.1\r\nHo", "st: wallet\r\n", "\r\n"] {
                    await connection.send(piece)
                    try await Task.sleep(for: .milliseconds(30))
                }
            }
            #expect(try await connection.answers(2) == 2)
            // Silence after a complete request does not count as slowness.
            try await Task.sleep(for: .seconds(9))
            #expect(connection.isOpen)
            let request = "GET /health HTTP/1.1\r\nHost: wallet\r\n\r\n"
            await connection.send(request + request)
            #expect(try await connection.answers(4) == 4)
            #expect(!connection.text.contains("HTTP/1.1 408"))
            await connection.close()
        }
    }

    @Test(arguments: [
        ("many", (0..<101).map { "X-\($0): a\r\n" }.joined()),
        ("large", "X-A: \(String(repeating: "a", count: 40_000))\r\n"),
        ("large together", (0..<9).map { "X-\($0): \(String(repeating: "a", count: 4_000))\r\n" }.joined()),
    ])
    func `header fields beyond the limits are answered 431`(name: String, fields: String) async throws {
        try await self.serve(HTTPLimits()) { server in
            let connection = try await RawConnection.open(port: server.client.port)
            await connection.send("GET /health HTTP/1.1\r\nHost: wallet\r\n\(fields)\r\n")
            #expect(try await connection.dribble("", upTo: .seconds(60)) != nil)
            #expect(connection.text.hasPrefix("HTTP/1.1 431 "), "\(name): \(connection.text.prefix(80))")
            #expect(connection.text.contains("problems/headers-too-large"))
            #expect(connection.text.lowercased().contains("x-content-type-options: nosniff"))
        }
    }

    @Test func `a path beyond the limits returns 431`() async throws {
        try await self.serve(HTTPLimits()) { server in
            let connection = try await RawConnection.open(port: server.client.port)
            let path = String(repeating: "a", count: 40_000)
            await connection.send("GET /\(path) HTTP/1.1\r\nHost: wallet\r\n\r\n")
            #expect(try await connection.dribble("", upTo: .seconds(60)) != nil)
            #expect(connection.text.hasPrefix("HTTP/1.1 431 "))
        }
    }

    @Test(arguments: ["nonsense\r\n\r\n", "GET /health HTTP/1.1\r\nHost\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n"])
    func `data that is not HTTP returns 400 and a problem`(text: String) async throws {
        try await self.serve(HTTPLimits()) { server in
            let connection = try await RawConnection.open(port: server.client.port)
            await connection.send(text)
            #expect(try await connection.dribble("", upTo: .seconds(60)) != nil)
            #expect(connection.text.hasPrefix("HTTP/1.1 400 "), "\(connection.text.prefix(80))")
            #expect(connection.text.contains("problems/malformed-request"))
        }
    }

    @Test func `a body in invalid chunks returns 400`() async throws {
        try await self.serve(HTTPLimits()) { server in
            let connection = try await RawConnection.open(port: server.client.port)
            await connection.send(try Self.head("Transfer-Encoding: chunked"))
            await connection.send("zz\r\nnonsense\r\n")
            #expect(try await connection.dribble("", upTo: .seconds(60)) != nil)
            #expect(connection.text.hasPrefix("HTTP/1.1 400 "), "\(connection.text.prefix(80))")
        }
    }

    @Test func `connections beyond the limit wait until one is closed`() async throws {
        let configuration = WalletServerConfiguration {
            $0.port = 0
            $0.limits.connections = 2
        }
        try await ServerHarness.running(configuration) { port, _ in
            let request = "GET /health HTTP/1.1\r\nHost: wallet\r\n\r\n"
            var connections: [RawConnection] = []
            for _ in 0..<2 {
                let connection = try await RawConnection.open(port: port)
                await connection.send(request)
                #expect(try await connection.answers(1) == 1)
                connections.append(connection)
            }
            let waiting = try await RawConnection.open(port: port)
            await waiting.send(request)
            #expect(try await waiting.answers(1, within: .milliseconds(400)) == 0)
            await connections[0].close()
            #expect(try await waiting.answers(1) == 1)
            await connections[1].close()
            await waiting.close()
        }
    }
}
