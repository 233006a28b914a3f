import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SandboxStores
import Testing

/// Tests that a web page in the developer's browser cannot control the stores.
@Suite
struct CrossSiteTests {
    private static let purchase = #"{"user_id": "ann", "product_id": "\#(starter)"}"#

    /// Runs a test against listening stores, and stops them afterwards.
    private func run(_ test: (Int) async throws -> Void) async throws {
        let stores = try SandboxStores(configuration: Stores.configuration(), logger: .silent)
        let serving = Task { try await stores.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await test(try await stores.boundPort()))
        } catch {
            result = .failure(error)
        }
        serving.cancel()
        _ = await serving.result
        try result.get()
    }

    private func send(
        _ method: HTTPMethod,
        _ path: String,
        to port: Int,
        _ fields: [(String, String)] = [],
        body: String? = nil
    ) async throws -> UInt {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        request.body = body.map { .bytes(ByteBuffer(string: $0)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        _ = try await response.body.collect(upTo: 1_048_576)
        return response.status.code
    }

    @Test func `a page cannot buy by a form, from its origin, or under another host name`() async throws {
        try await self.run { port async throws in
            let json = ("Content-Type", "application/json")
            let refused: [(UInt, [(String, String)])] = [
                (415, [("Content-Type", "text/plain")]),
                (415, [("Content-Type", "application/x-www-form-urlencoded")]),
                (415, [("Content-Type", "text/plain; a=application/json")]), (415, []),
                (403, [json, ("Origin", "https://evil.example")]), (403, [json, ("Origin", "null")]),
                (403, [json, ("Origin", "http://evil.example:\(port)")]),
                (403, [json, ("Origin", "http://127.0.0.1:\(port == 1 ? 2 : 1)")]),
                (403, [json, ("Origin", "https://127.0.0.1:\(port)")]),
                (421, [json, ("Host", "evil.example:\(port)")]), (421, [json, ("Host", "evil.example")]),
                (421, [json, ("Host", "127.0.0.1.evil.example:\(port)")]), (421, [json, ("Host", "localhost")]),
                (421, [json, ("Host", "127.0.0.1:\(port == 1 ? 2 : 1)")]), (421, [json, ("Host", "")]),
            ]
            for (status, fields) in refused {
                let answer = try await self.send(.POST, "/sandbox/purchases", to: port, fields, body: Self.purchase)
                #expect(answer == status, "\(fields)")
            }
            let accepted: [[(String, String)]] = [
                [json], [json, ("Host", "localhost:\(port)")], [json, ("Host", "LOCALHOST:\(port)")],
                [json, ("Host", "[::1]:\(port)")], [("Content-Type", "application/json; charset=utf-8")],
                [json, ("Origin", "http://127.0.0.1:\(port)")],
                [json, ("Host", "localhost:\(port)"), ("Origin", "http://localhost:\(port)")],
            ]
            for fields in accepted {
                let answer = try await self.send(.POST, "/sandbox/purchases", to: port, fields, body: Self.purchase)
                #expect(answer == 200, "\(fields)")
            }
        }
    }

    @Test func `a page cannot use a control without a body, nor read one under another host name`() async throws {
        try await self.run { port async throws in
            let evil = [("Origin", "https://evil.example")]
            #expect(try await self.send(.DELETE, "/sandbox/faults", to: port, evil) == 403)
            #expect(try await self.send(.POST, "/sandbox/transactions/1/refund", to: port, evil) == 403)
            #expect(try await self.send(.GET, "/sandbox/clock", to: port, [("Host", "evil.example:\(port)")]) == 421)
            #expect(try await self.send(.DELETE, "/sandbox/faults", to: port) == 204)
            #expect(try await self.send(.POST, "/sandbox/transactions/1/refund", to: port) == 404)
        }
    }

    @Test func `the stores' own paths accept their usual content types`() async throws {
        try await self.run { port async throws in
            for path in ["/verifyReceipt", "/sandbox/verifyReceipt"] {
                let body = #"{"receipt-data": "bm90aGluZw=="}"#
                #expect(try await self.send(.POST, path, to: port, body: body) == 200)
                let evil = [("Host", "evil.example:\(port)")]
                #expect(try await self.send(.POST, path, to: port, evil, body: body) == 421)
            }
        }
    }
}
