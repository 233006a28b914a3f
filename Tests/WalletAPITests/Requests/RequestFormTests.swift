import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import WalletAPI

/// Tests over real sockets of requests that two parsers could read differently.
@Suite struct RequestFormTests {
    private func answer(
        to text: String,
        then more: [String] = [],
        _ check: @escaping @Sendable (RawConnection) async throws -> Void
    ) async throws {
        try await ServerHarness.withoutDatabase(setup: .live) { server async throws in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
            #expect(try await server.send(.get, "/health").status == 200)
            let connection = try await RawConnection.open(port: server.client.port)
            await connection.send(text)
            for part in more where connection.isOpen { await connection.send(part) }
            #expect(try await connection.answers(1) >= 1)
            try await check(connection)
            await connection.close()
        }
    }

    private func expect(_ status: Int, _ slug: String, to text: String) async throws {
        try await self.answer(to: text) { connection async throws in
            #expect(connection.text.hasPrefix("HTTP/1.1 \(status) "), "\(connection.text.prefix(60))")
            #expect(connection.text.contains("problems/\(slug)"))
            #expect(try await connection.dribble("", upTo: .seconds(60)) != nil, "the connection stays open")
            #expect(connection.text.ranges(of: "HTTP/1.1 ").count == 1)
        }
    }

    @Test(arguments: [
        "GET /health HTTP/1.1\r\nHost: wallet\r\nHost: other\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: wallet\r\nhost: wallet\r\n\r\n",
        "GET /health HTTP/1.1\r\nAccept: */*\r\n\r\n",
        "GET /health HTTP/1.0\r\nHost: wallet\r\nHost: other\r\n\r\n",
    ])
    func `a request needs exactly one host`(text: String) async throws {
        try await self.expect(400, "malformed-request", to: text)
    }

    @Test func `HTTP 1.0 needs no host`() async throws {
        try await self.answer(to: "GET /health HTTP/1.0\r\n\r\n") { connection async throws in
            #expect(connection.text.hasPrefix("HTTP/1.1 200 ") || connection.text.hasPrefix("HTTP/1.0 200 "))
        }
    }

    private static func chunked(_ fields: String, version: String = "1.1") -> String {
        "POST /bookings HTTP/\(version)\r\nHost: wallet\r\n\(fields)\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    }

    @Test(arguments: ["gzip, chunked", "deflate, chunked", "gzip\r\nTransfer-Encoding: chunked"])
    func `a transfer coding other than chunked is not implemented`(coding: String) async throws {
        try await self.expect(
            501,
            "transfer-coding-unsupported",
            to: Self.chunked("Transfer-Encoding: \(coding)")
        )
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\nContent-Length: 2", "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Content-Length: 2\r\nTransfer-Encoding: gzip, chunked", "Content-Length: 2\r\nContent-Length: 3",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    ])
    func `a body has one length`(fields: String) async throws {
        try await self.expect(400, "malformed-request", to: Self.chunked(fields))
    }

    @Test func `HTTP 1.0 does not support chunks`() async throws {
        try await self.expect(
            400,
            "malformed-request",
            to: Self.chunked("Transfer-Encoding: chunked", version: "1.0")
        )
    }

    /// Returns the head of a request that waits for its body without using the database.
    private static func head() throws -> String {
        """
        PUT /operator/classes/pottery HTTP/1.1\r
        Host: wallet\r
        Authorization: Bearer \(try ServerHarness.operatorToken())\r
        Idempotency-Key: k\r
        Content-Type: application/json\r
        Transfer-Encoding: chunked\r
        \r

        """
    }

    @Test func `chunks with far more overhead than content are refused`() async throws {
        let pad = String(repeating: "a", count: 50_000)
        let parts = ["2;x="] + Array(repeating: pad, count: 40) + ["\r\n{}\r\n0\r\n\r\n"]
        try await self.answer(to: try Self.head(), then: parts) { connection async throws in
            #expect(connection.text.hasPrefix("HTTP/1.1 400 "), "\(connection.text.prefix(60))")
            #expect(connection.text.contains("The chunk framing"))
            #expect(try await connection.dribble("", upTo: .seconds(60)) != nil)
        }
    }

    @Test func `many small chunk extensions count like one large one`() async throws {
        let pad = String(repeating: "1;\(String(repeating: "a", count: 100))\r\n \r\n", count: 500)
        try await self.answer(to: try Self.head(), then: Array(repeating: pad, count: 10)) { connection async throws in
            #expect(connection.text.hasPrefix("HTTP/1.1 400 "), "\(connection.text.prefix(60))")
            #expect(connection.text.contains("The chunk framing"))
        }
    }

    @Test func `a body in the smallest chunks is read`() async throws {
        let body = "{\"title\": \"\(String(repeating: "a", count: 20_000))\"}"
        let chunks = body.map { "1\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
        try await self.answer(to: try Self.head(), then: [chunks]) { connection async throws in
            #expect(connection.text.hasPrefix("HTTP/1.1 400 "), "\(connection.text.prefix(60))")
            #expect(connection.text.contains("starts_at") || connection.text.contains("member"))
            #expect(!connection.text.contains("The chunk framing"))
        }
    }

    @Test(arguments: [
        "//operator/adjustments", "/operator//adjustments", "/operator/adjustments/", "//", "/./operator/adjustments",
        "/operator/./adjustments", "/packs/../operator/adjustments", "/operator/adjustments/..", "/%2e/operator",
        "/%2E%2e/operator/adjustments", "/packs/.%2e/operator/adjustments", "/operator%2fadjustments",
        "/operator/%2Fadjustments", "/operator\\adjustments", "/%5coperator/adjustments", "/operator/adjustments%5C",
        "//functions/v1/bookings", "//balance/stream",
    ])
    func `an ambiguous path is not found, for any caller`(path: String) async throws {
        try await ServerHarness.withoutDatabase(setup: .live) { server async throws in
            for method in ["POST", "GET", "OPTIONS"] {
                let connection = try await RawConnection.open(port: server.client.port)
                let token = try ServerHarness.operatorToken()
                let authorizations = ["", "Authorization: Bearer \(token)\r\n"]
                for authorization in authorizations {
                    await connection.send(
                        "\(method) \(path) HTTP/1.1\r\nHost: wallet\r\nContent-Length: 0\r\n\(authorization)\r\n"
                    )
                }
                #expect(try await connection.answers(2) == 2)
                #expect(connection.text.ranges(of: "HTTP/1.1 404 ").count == 2, "\(method): \(connection.text)")
                await connection.close()
            }
        }
    }

    @Test func `dots and escapes inside a name are preserved`() async throws {
        try await ServerHarness.withoutDatabase { server async throws in
            for path in ["/classes/a..b", "/classes/%61.b", "/classes/...", "/classes/a%3Ab"] {
                #expect(try await server.send(.get, path).status == 503, "\(path)")
            }
        }
    }
}
