import Foundation
import HTTPTypes
import Testing

@testable import SandboxStores

/// Tests that a message which cannot be stored is refused, so that its sender repeats it.
@Suite struct WebhookOutageTests {
    @Test func `without the database every webhook requests another delivery`() async throws {
        try await ServerHarness.withStoresOnly { server in
            let user = ServerHarness.someone()
            _ = try await server.buy(user)
            _ = try await server.buy(user, more: ["store": "play_store"])
            let apple = try #require(try await server.messages(of: "app_store").last).body
            let revenueCat = try #require(try await server.messages(of: "revenuecat").last).body
            let google = try #require(try await server.messages(of: "google_play").last).body
            let answers = [
                try await server.postAppStore(apple), try await server.postRevenueCat(revenueCat),
                try await server.postGooglePlay(google), try await server.postRevenueCat(#"{"unreadable":1}"#),
            ]
            for answer in answers {
                #expect(answer.status == 503)
                #expect(["database-unavailable", "overloaded"].contains(answer.problem))
                #expect(answer.headers[.retryAfter].flatMap(Int.init) ?? 0 >= 1)
            }
            // A message without a valid proof is still refused as unproven.
            #expect(try await server.postRevenueCat(revenueCat, authorization: nil).status == 401)
        }
    }
}
