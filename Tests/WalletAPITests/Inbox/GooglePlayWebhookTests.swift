import Foundation
import HTTPTypes
import StoreSync
import Stores
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `POST /webhooks/google-play`.
@Suite(.database, .serialized) struct GooglePlayWebhookTests {
    @Test func `a push makes the wallet query the store, and has an empty response`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user, more: ["store": "play_store"])
            let body: [String: any Sendable] = [
                "store": "play_store", "product_id": ServerHarness.pack,
                "purchase_token": try #require(sale.purchaseToken),
            ]
            #expect(try await server.send(.post, "/receipts", as: user, json: body).status == 200)
            _ = try await server.control("transactions/\(sale.transactionID)/refund", as: ServerHarness.Sale.self)
            let messages = try await server.messages(of: "google_play")
            #expect(messages.count >= 2)
            for message in messages + messages {
                let answer = try await server.postGooglePlay(message.body)
                #expect(answer.status == 204)
                #expect(answer.text.isEmpty)
            }
            #expect(try await server.credits(of: user) == 0)
        }
    }

    @Test func `a push during a store outage is accepted and retried`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let rows = try await server.inboxRows().count
            _ = try await server.buy(user, more: ["store": "play_store"])
            let message = try #require(try await server.messages(of: "google_play").last)
            try await server.fault(["target": "play", "status": 503, "count": 50])
            #expect(try await server.postGooglePlay(message.body).status == 204)
            let waiting = try #require(try await server.inboxRows().dropFirst(rows).first)
            #expect(waiting.status == "failed")
            #expect(waiting.reason?.contains("unavailable") == true)
            try await server.endFaults()
            // A repeated delivery is processed again.
            #expect(try await server.postGooglePlay(message.body).status == 204)
            let settled = try await server.inboxRows().dropFirst(rows)
            #expect(settled.count == 1)
            #expect(settled.allSatisfy { $0.status != "failed" })
        }
    }

    @Test func `an administrator replays messages that failed during an outage`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = try await ServerHarness.someoneKnown()
            _ = try await server.buy(user, accountToken: user, more: ["store": "play_store"])
            let message = try #require(try await server.messages(of: "google_play").last)
            try await server.fault(["target": "play", "status": 503, "count": 50])
            #expect(try await server.postGooglePlay(message.body).status == 204)
            #expect(try await server.credits(of: user) == 0)
            try await server.endFaults()
            try await ServerHarness.sql("UPDATE admin.webhook_inbox SET status = 'new' WHERE status = 'failed'")
            #expect(try await server.inbox.work(limit: 10) >= 1)
            #expect(try await server.credits(of: user) == 100)
            #expect(try await server.inboxRows().last?.status == "processed")
        }
    }

    @Test func `only the push service's token is accepted`() async throws {
        try await ServerHarness.withDatabase { server in
            let rows = try await server.inboxRows()
            _ = try await server.buy(ServerHarness.someone(), more: ["store": "play_store"])
            let message = try #require(try await server.messages(of: "google_play").last)
            let tokens = [
                "Bearer \(try ServerHarness.token("u"))", "Bearer \(try ServerHarness.operatorToken())",
                SandboxPeers.authorization, "Basic dTpw", "Bearer x.y.z",
            ]
            for authorization in tokens {
                let answer = try await server.postGooglePlay(message.body, authorization: authorization)
                #expect(answer.status == 401)
                #expect(answer.problem == "unauthenticated")
                #expect(answer.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
            }
            let none = try await server.send(.post, "/webhooks/google-play", body: message.body)
            #expect(none.status == 401)
            #expect(none.headers[.wwwAuthenticate] == "Bearer realm=\"credit-wallet\"")
            #expect(try await server.inboxRows() == rows)
        }
    }

    @Test func `messages of another app, unknown and unreadable messages are distinguished`() async throws {
        try await ServerHarness.withDatabase { server in
            let rows = try await server.inboxRows()
            let other = try await server.postGooglePlay(Self.push(#"{"packageName":"com.example.other"}"#))
            #expect(other.status == 503)
            #expect(other.problem == "webhook-not-configured")
            #expect(try await server.inboxRows() == rows)

            let app = SandboxPeers.bundleID
            let unknown = Self.push(#"{"packageName":"\#(app)","eventTimeMillis":"1795000000000","newThing":{}}"#)
            let unreadable = Self.push(#"{"packageName":"\#(app)","oneTimeProductNotification":{"sku":"x"}}"#)
            for body in [unknown, unknown, unreadable, unreadable, #"{"message":{}}"#, "", "x", "[]"] {
                #expect(try await server.postGooglePlay(body).status == 204, "\(body)")
            }
            let new = try await server.inboxRows().dropFirst(rows.count)
            #expect(new.map(\.status) == ["ignored"] + Array(repeating: "quarantined", count: 5))
            #expect(new.map(\.reason) == ["unknown-type"] + Array(repeating: "unreadable", count: 5))
            let large = #"{"message":""# + String(repeating: "a", count: 300 * 1_024) + "\"}"
            #expect(try await server.postGooglePlay(large).status == 413)
        }
    }

    @Test func `without the app or the push service no push is accepted`() async throws {
        try await ServerHarness.withDatabase(adapt: without(\.googlePlayNotifications)) { server in
            let answer = try await server.postGooglePlay("{}")
            #expect(answer.status == 503)
            #expect(answer.problem == "webhook-not-configured")
            #expect(answer.headers[.retryAfter] != nil)
        }
    }

    private static func push(_ notification: String) -> String {
        let data = Data(notification.utf8).base64EncodedString()
        return #"{"message":{"messageId":"\#(UUID().uuidString)","data":"\#(data)"},"subscription":"projects/a/b"}"#
    }
}
