import Foundation
import HTTPTypes
import Stores
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `POST /webhooks/revenuecat`.
@Suite(.database, .serialized) struct RevenueCatWebhookTests {
    @Test func `a proven purchase is credited once, despite repeated reports`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            _ = try await server.buy(user)
            let message = try #require(try await server.messages(of: "revenuecat").last)
            for _ in 0..<3 {
                let answer = try await server.postRevenueCat(message.body)
                #expect(answer.status == 200)
                #expect(answer.text.isEmpty)
            }
            #expect(try await server.credits(of: user) == 100)
            #expect(try await server.inboxRows().filter { $0.type == message.type }.count >= 1)
        }
    }

    @Test func `every configured proof must be valid`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            _ = try await server.buy(user)
            let body = try #require(try await server.messages(of: "revenuecat").last).body
            let late = ServerHarness.signature(of: body, at: Date().addingTimeInterval(-400))
            let others = ServerHarness.signature(of: body, secret: "another-secret-of-the-same-length--------")
            let refused: [(String?, String?)] = [
                (nil, nil), ("Bearer wrong", nil), (SandboxPeers.authorization + "x", nil),
                (SandboxPeers.authorization, "t=1,v1=00"), (SandboxPeers.authorization, late),
                (SandboxPeers.authorization, others),
                (SandboxPeers.authorization, ServerHarness.signature(of: body + " ")),
            ]
            for (authorization, signature) in refused {
                let answer = try await server.postRevenueCat(body, authorization: authorization, signature: signature)
                #expect(answer.status == 401)
                #expect(answer.problem == "webhook-not-proven")
                #expect(answer.headers[.wwwAuthenticate] != nil)
                #expect(!answer.text.contains(SandboxPeers.authorization))
            }
            let elsewhere = try await server.postRevenueCat(body, header: "X-Other-Signature")
            #expect(elsewhere.status == 401)
            #expect(try await server.credits(of: user) == 0)
            // The header also contains another secret's code, as during a rotation.
            let both = ServerHarness.signature(of: body)
            let doubled = both.replacing(",v1=", with: ",v1=" + String(repeating: "0", count: 64) + ",v1=")
            #expect(try await server.postRevenueCat(body, signature: doubled).status == 200)
            #expect(try await server.credits(of: user) == 100)
        }
    }

    @Test func `the signature's header name is configurable`() async throws {
        let adapt: Adaptation = { clients in
            clients.revenueCatWebhook = RevenueCatWebhook(
                configuration: RevenueCatWebhookConfiguration(
                    signingSecrets: [SandboxPeers.signingSecret],
                    signatureHeader: "X-Our-Signature"
                )
            )
        }
        try await ServerHarness.withDatabase(adapt: adapt) { server in
            let body = Self.event("SOMETHING_NEW")
            #expect(try await server.postRevenueCat(body, authorization: nil).status == 401)
            let answer = try await server.postRevenueCat(body, authorization: nil, header: "x-our-signature")
            #expect(answer.status == 200)
        }
    }

    @Test func `without a configured proof every message is refused`() async throws {
        let empty = RevenueCatWebhook(configuration: RevenueCatWebhookConfiguration())
        let blank = RevenueCatWebhook(configuration: RevenueCatWebhookConfiguration(authorizations: [""]))
        for webhook in [nil, empty, blank] {
            let adapt: Adaptation = { $0.revenueCatWebhook = webhook }
            try await ServerHarness.withDatabase(adapt: adapt) { server in
                let answer = try await server.postRevenueCat(Self.event("TEST"))
                #expect(answer.status == 503)
                #expect(answer.problem == "webhook-not-configured")
                #expect(answer.headers[.retryAfter] != nil)
            }
        }
    }

    @Test func `unknown types are stored, those of paywalls are not`() async throws {
        try await ServerHarness.withDatabase { server in
            let rows = try await server.inboxRows()
            for type in ["SOMETHING_NEW", "PAYWALL_IMPRESSION", "PAYWALL_CLOSE"] {
                #expect(try await server.postRevenueCat(Self.event(type)).status == 200)
            }
            let new = try await server.inboxRows().dropFirst(rows.count)
            #expect(new.map(\.type) == ["SOMETHING_NEW"])
            #expect(new.map(\.status) == ["ignored"])
            #expect(new.allSatisfy { $0.reason != nil })
        }
    }

    @Test func `any unreadable message with valid proofs is quarantined`() async throws {
        try await ServerHarness.withDatabase { server in
            let rows = try await server.inboxRows()
            let bodies = [
                "", "x", "[]", "7", #"{"event":"\u0000"}"#, #"{"event":"\ud800"}"#, #"{"other":1}"#,
                #"{"event":{"type":"INITIAL_PURCHASE"}}"#, Self.event("INITIAL_PURCHASE"),
                #"{"event":{"type":"INITIAL_PURCHASE"},}"#, #"{"event":{"type":"INITIAL_PURCHASE",},"a":[1,]}"#,
            ]
            for body in bodies {
                for _ in 0..<2 { #expect(try await server.postRevenueCat(body).status == 200, "\(body)") }
            }
            let quarantined = try await server.inboxRows().dropFirst(rows.count)
            #expect(quarantined.count == bodies.count)
            #expect(quarantined.allSatisfy { $0.status == "quarantined" && $0.reason == "unreadable" })
            let large = #"{"event":""# + String(repeating: "a", count: 300 * 1_024) + "\"}"
            #expect(try await server.postRevenueCat(large).status == 413)
        }
    }

    private static func event(_ type: String) -> String {
        #"{"api_version":"1.0","event":{"id":"\#(UUID().uuidString)","type":"\#(type)","event_timestamp_ms":1795000000000}}"#
    }
}
