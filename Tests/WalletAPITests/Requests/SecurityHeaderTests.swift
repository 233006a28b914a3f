import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

@Suite struct SecurityHeaderTests {
    @Test func `every answer keeps browsers from guessing its type`() async throws {
        try await ServerHarness.withoutDatabase { server in
            for path in ["/health", "/openapi.yaml", "/nowhere", "/balance", "/functions/v1/credit-packs/balance"] {
                let answer = try await server.send(.get, path)
                #expect(answer.headers[.xContentTypeOptions] == "nosniff", "\(path)")
                #expect(answer.headers[.referrerPolicy] == "no-referrer", "\(path)")
                #expect(answer.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true, "\(path)")
            }
            #expect(try await server.send(.get, "/openapi.yaml").headers[.cacheControl] == nil)
        }
    }

    @Test(.database) func `personal responses are not cached`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            for path in ["/bookings", "/transactions", "/purchases", "/passes", "/subscriptions"] {
                let answer = try await server.send(.get, path, as: user)
                #expect(answer.status == 200)
                #expect(answer.headers[.cacheControl] == "no-store", "\(path)")
            }
            // Balances have an ETag: the client may store one, but must revalidate it each time.
            #expect(try await server.send(.get, "/balance", as: user).headers[.cacheControl] == "private, no-cache")
            #expect(try await server.send(.get, "/packs").headers[.cacheControl] == "no-cache")
        }
    }
}
