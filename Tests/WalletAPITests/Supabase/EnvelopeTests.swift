import Foundation
import HTTPTypes
import Hummingbird
import Testing
import Wallet

@testable import WalletAPI
@testable import WalletSupabase

@Suite struct EnvelopeTests {
    private static let privateFunctions: [(HTTPRequest.Method, String)] = [
        (.post, "validate-receipt"), (.get, "credit-packs/balance"), (.get, "credit-packs/transactions"),
        (.get, "credit-packs/purchases"), (.post, "credit-packs/book-with-credits"), (.post, "bookings/create"),
        (.post, "bookings/cancel"), (.get, "bookings/my-bookings"), (.get, "bookings/upcoming"),
        (.get, "bookings/history"), (.get, "bookings/7c9e6679-7425-40de-944b-e07fc1f90ae7"),
    ]

    @Test func `every function except the public one requires a user's token`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let anonymous = try TokenForge().shared(["iss": TokenForge.issuer, "role": "anon", "exp": 4_000_000_000])
            let keyed = try ServerHarness.token("somebody", ["role": "anon"])
            for (method, path) in Self.privateFunctions {
                for token in [nil, anonymous, keyed, "sb_publishable_abc", "sb_secret_abc"] {
                    let answer = try await server.send(method, "/functions/v1/\(path)", token: token)
                    #expect(answer.status == 401, "\(path)")
                    #expect(answer.code == "UNAUTHORIZED", "\(path)")
                    #expect(answer.headers[.wwwAuthenticate] != nil, "\(path)")
                }
            }
        }
    }

    @Test func `unknown routes are answered in the envelope`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let user = ServerHarness.someone()
            for path in ["nothing", "", "bookings", "bookings/1/check-in", "credit-packs"] {
                let answer = try await server.send(.post, "/functions/v1/\(path)", as: user, body: "{}")
                #expect(answer.status == 404, "\(path)")
                #expect(answer.code == "NOT_FOUND", "\(path)")
            }
            for path in ["credit-packs/purchase", "purchase-credits", "payments/create-intent"] {
                let answer = try await server.call(.post, path, as: user, json: [:])
                #expect(answer.status == 404, "\(path)")
                #expect(answer.code == "NOT_FOUND", "\(path)")
                #expect(answer.text.contains("POST /functions/v1/validate-receipt"), "\(path)")
            }
            for (method, path) in [
                (HTTPRequest.Method.get, "validate-receipt"), (.put, "bookings/x"), (.get, "bookings/create"),
            ] {
                let answer = try await server.call(method, path, as: user)
                #expect(answer.status == 405, "\(path)")
                #expect(answer.code == "METHOD_NOT_ALLOWED", "\(path)")
                #expect(answer.headers[.allow] != nil, "\(path)")
            }
            // Doubled slashes reach no route, because a prefix check in front of the service would miss them.
            let doubled = try await server.send(.get, "//functions//v1/credit-packs/balance")
            #expect(doubled.code == "NOT_FOUND")
            #expect(try await server.send(.get, "/functions/v2/nothing").problem == "route-not-found")
        }
    }

    @Test func `invalid bodies and failures are answered in the envelope`() async throws {
        try await ServerHarness.withoutDatabase { server in
            // The check of a user's token needs the database, which does not exist here.
            let outage = try await server.call(.get, "credit-packs/balance", as: ServerHarness.someone())
            #expect(outage.status == 503)
            #expect(["DATABASE_UNAVAILABLE", "OVERLOADED"].contains(outage.code))
            #expect(outage.headers[.retryAfter] != nil)
            let packs = try await server.call(.get, "credit-packs/available")
            #expect(packs.status == 503)
            #expect(packs.code != nil)
        }
    }

    @Test func `preflights list the allowed and the readable headers`() async throws {
        try await ServerHarness.withoutDatabase { server in
            for path in ["validate-receipt", "credit-packs/balance", "unknown"] {
                let answer = try await server.send(
                    .options,
                    "/functions/v1/\(path)",
                    headers: ["Origin": "https://app.example", "Access-Control-Request-Method": "POST"]
                )
                #expect(answer.status == 200)
                #expect(answer.text == "ok")
                #expect(answer.headers[.accessControlAllowOrigin] == "*")
                #expect(answer.headers[.accessControlAllowCredentials] == nil)
                let accepted = try #require(answer.headers[.accessControlAllowHeaders])
                for name in ["authorization", "x-client-info", "apikey", "content-type", "idempotency-key", "x-region"]
                {
                    #expect(accepted.contains(name))
                }
                #expect(answer.headers[.accessControlAllowMethods]?.contains("POST") == true)
            }
        }
    }

    @Test func `configured origins are the only ones that may read`() {
        let policy = CrossOriginPolicy(origins: ["https://app.example"])
        let request = { (origin: String) in
            Request(
                head: HTTPRequest(
                    method: .get,
                    scheme: "http",
                    authority: "wallet",
                    path: "/functions/v1/x",
                    headerFields: [.origin: origin]
                ),
                body: RequestBody(buffer: .init())
            )
        }
        let known = policy.headers(for: request("https://app.example"))
        #expect(known[.accessControlAllowOrigin] == "https://app.example")
        #expect(known[.vary] == "Origin")
        let foreign = policy.headers(for: request("https://app.example.evil"))
        #expect(foreign[.accessControlAllowOrigin] == nil)
        #expect(foreign[.vary] == "Origin")
    }

    @Test func `no page may read unless its origin is configured`() {
        let request = Request(
            head: HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "wallet",
                path: "/functions/v1/x",
                headerFields: [.origin: "https://app.example"]
            ),
            body: RequestBody(buffer: .init())
        )
        #expect(CrossOriginPolicy(origins: []).headers(for: request)[.accessControlAllowOrigin] == nil)
        #expect(CrossOriginPolicy(origins: []).preflight(for: request).headers[.accessControlAllowOrigin] == nil)
        #expect(CrossOriginPolicy(origins: ["*"]).headers(for: request)[.accessControlAllowOrigin] == "*")
        #expect(WalletServerConfiguration().corsOrigins.isEmpty)
    }

    @Test func `every slug has a code for apps`() {
        for slug in ProblemType.all.keys {
            let code = SupabaseErrorCode(Problem(.badRequest, slug)).name
            #expect(code.wholeMatch(of: /[A-Z][A-Z_]*/) != nil, "\(slug)")
        }
        #expect(SupabaseErrorCode(Problem(.conflict, "already-booked")).name == "BOOKING_EXISTS")
        #expect(SupabaseErrorCode(Problem(.conflict, "not-cancellable")).name == "CANNOT_CANCEL")
        #expect(SupabaseErrorCode(Problem(.conflict, "overlapping-booking")).name == "SCHEDULE_CONFLICT")
        #expect(SupabaseErrorCode(Problem(.internalServerError, "internal-error")).name == "INTERNAL_ERROR")
    }
}
