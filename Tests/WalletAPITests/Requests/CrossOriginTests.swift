import HTTPTypes
import Testing

@testable import WalletAPI

/// Tests that web pages of configured origins may call every user route, and no other route.
@Suite struct CrossOriginTests {
    private static let page = "https://app.example"

    @Test(arguments: [
        ("/balance", "GET"), ("/balance/stream", "GET"), ("/bookings", "POST"), ("/bookings/x/cancel", "POST"),
        ("/receipts", "POST"), ("/packs", "GET"), ("/classes/a/waitlist", "DELETE"), ("/account", "DELETE"),
        ("/functions/v1/validate-receipt", "POST"),
    ])
    func `a preflight of a user route is answered`(path: String, method: String) async throws {
        try await ServerHarness.withoutDatabase { server in
            let answer = try await server.send(
                .options,
                path,
                headers: ["Origin": Self.page, "Access-Control-Request-Method": method]
            )
            #expect(answer.status == 200)
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            #expect(answer.headers[.accessControlAllowMethods]?.contains(method) == true)
            let accepted = try #require(answer.headers[.accessControlAllowHeaders])
            for name in ["authorization", "idempotency-key", "wallet-environment", "last-event-id", "if-none-match"] {
                #expect(accepted.contains(name))
            }
        }
    }

    @Test func `pages may read responses and refusals of user routes`() async throws {
        try await ServerHarness.withoutDatabase { server in
            for path in ["/balance", "/packs", "/bookings/there/is/none"] {
                let answer = try await server.send(.get, path, headers: ["Origin": Self.page])
                #expect(answer.status >= 400, "\(path)")
                #expect(answer.headers[.accessControlAllowOrigin] == "*", "\(path)")
                #expect(answer.headers[.accessControlExposeHeaders]?.contains("etag") == true, "\(path)")
            }
        }
    }

    @Test(arguments: ["/operator/adjustments", "/operator/classes/a", "/webhooks/app-store", "/health", "/ready"])
    func `no page may call what is not an app's`(path: String) async throws {
        try await ServerHarness.withoutDatabase { server in
            let headers = ["Origin": Self.page, "Access-Control-Request-Method": "POST"]
            let preflight = try await server.send(.options, path, headers: headers)
            #expect(preflight.status == 405)
            #expect(preflight.headers[.accessControlAllowOrigin] == nil)
            let answer = try await server.send(.get, path, headers: ["Origin": Self.page])
            #expect(answer.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func `without an origin, OPTIONS is not allowed`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let answer = try await server.send(.options, "/balance")
            #expect(answer.status == 405)
            #expect(answer.headers[.allow]?.contains("GET") == true)
        }
    }

    @Test func `without configured origins no page may call any route`() async throws {
        try await ServerHarness.withoutDatabase(corsOrigins: []) { server in
            let headers = ["Origin": Self.page, "Access-Control-Request-Method": "GET"]
            let preflight = try await server.send(.options, "/balance", headers: headers)
            #expect(preflight.status == 405)
            let answer = try await server.send(.get, "/balance", headers: headers)
            #expect(answer.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func `only configured origins may read, and caches separate them`() async throws {
        try await ServerHarness.withoutDatabase(corsOrigins: [Self.page]) { server in
            let own = try await server.send(.get, "/balance", headers: ["Origin": Self.page])
            #expect(own.headers[.accessControlAllowOrigin] == Self.page)
            #expect(own.headers[.vary]?.contains("Origin") == true)
            let other = try await server.send(.get, "/balance", headers: ["Origin": "https://other.example"])
            #expect(other.headers[.accessControlAllowOrigin] == nil)
            #expect(other.headers[.vary]?.contains("Origin") == true)
        }
    }
}
