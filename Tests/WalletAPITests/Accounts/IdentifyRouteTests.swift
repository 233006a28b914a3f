import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `POST /identify`.
@Suite(.database) struct IdentifyRouteTests {
    @Test func `signing in merges earlier purchases, and a repetition changes nothing`() async throws {
        try await ServerHarness.withDatabase { server in
            let (guest, user) = (ServerHarness.someone(), ServerHarness.someone())
            let token = try ServerHarness.anonymousToken(guest)
            let sale = try await server.buy(guest)
            let body: [String: any Sendable] = ["store": "app_store", "receipt": try #require(sale.receipt)]
            #expect(try await server.send(.post, "/receipts", token: token, json: body).status == 200)
            let merged = try await server.send(.post, "/identify", as: user, json: ["anonymous_token": token])
            #expect(merged.status == 200)
            #expect(try merged.json["user_id"] as? String == user)
            #expect(try merged.json["credits"] as? Int == 100)
            let again = try await server.send(.post, "/identify", as: user, json: ["anonymous_token": token])
            #expect(again.status == 200)
            #expect(try again.json["credits"] as? Int == 100)
            // The guest's token is invalid, and no other user can merge the guest.
            #expect(try await server.send(.get, "/balance", token: token).status == 401)
            let stranger = try await server.send(
                .post,
                "/identify",
                as: ServerHarness.someone(),
                json: ["anonymous_token": token]
            )
            #expect(stranger.status == 403)
            #expect(stranger.problem == "not-mergeable")
        }
    }

    @Test func `a guest first named by the studio or a store is merged`() async throws {
        try await ServerHarness.withDatabase { server in
            let (gifted, sold, user) = (ServerHarness.someone(), ServerHarness.someone(), ServerHarness.someone())
            try await server.give(7, to: gifted)
            _ = try await server.buy(sold)
            let message = try #require(try await server.messages(of: "revenuecat").last)
            #expect(try await server.postRevenueCat(message.body).status == 200)
            for guest in [gifted, sold] {
                let token = try ServerHarness.anonymousToken(guest)
                let merged = try await server.send(.post, "/identify", as: user, json: ["anonymous_token": token])
                #expect(merged.status == 200)
            }
            #expect(try await server.credits(of: user) == 107)
        }
    }

    @Test func `only an anonymous token of the same issuer is merged`() async throws {
        try await ServerHarness.withDatabase { server in
            let (guest, user) = (ServerHarness.someone(), ServerHarness.someone())
            let refused = [
                try ServerHarness.token(guest),
                try ServerHarness.otherIssuersToken(guest, ["is_anonymous": true]),
                try ServerHarness.token(guest, ["is_anonymous": "true"]),
                try ServerHarness.token(guest, ["is_anonymous": true, "exp": 1_000]),
                try ServerHarness.operatorToken(),
                try ServerHarness.anonymousToken(guest) + "x",
                "no-token",
            ]
            for token in refused {
                let answer = try await server.send(.post, "/identify", as: user, json: ["anonymous_token": token])
                #expect(answer.status == 403)
                #expect(answer.problem == "not-mergeable")
                #expect(!answer.text.contains(token))
            }
            let missing = try await server.send(.post, "/identify", as: user, body: "{}")
            #expect(missing.problem == "malformed-request")
        }
    }

    @Test func `an anonymous caller cannot merge another user`() async throws {
        try await ServerHarness.withDatabase { server in
            let answer = try await server.send(
                .post,
                "/identify",
                token: try ServerHarness.anonymousToken(ServerHarness.someone()),
                json: ["anonymous_token": try ServerHarness.anonymousToken(ServerHarness.someone())]
            )
            #expect(answer.status == 403)
            #expect(answer.problem == "not-mergeable")
        }
    }

    @Test func `a user who has signed in is no longer anonymous`() async throws {
        try await ServerHarness.withDatabase { server in
            let (person, user) = (ServerHarness.someone(), ServerHarness.someone())
            let anonymous = try ServerHarness.anonymousToken(person)
            #expect(try await server.send(.get, "/balance", token: anonymous).status == 200)
            // The same account after its sign-in; the provider keeps the subject.
            #expect(try await server.send(.get, "/balance", as: person).status == 200)
            let answer = try await server.send(.post, "/identify", as: user, json: ["anonymous_token": anonymous])
            #expect(answer.status == 403)
            #expect(answer.problem == "not-mergeable")
        }
    }
}
