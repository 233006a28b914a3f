import Foundation
import Stores
import Testing

@Suite
struct RevenueCatConformanceTests {
    private struct SignatureVector: Decodable {
        let name: String
        let bodyFile: String?
        let body: String?
        let secret: String
        let t: Double
        let header: String

        private enum CodingKeys: String, CodingKey {
            case name
            case bodyFile = "body_file"
            case body
            case secret
            case t
            case header
        }

        func bytes() throws -> Data {
            if let bodyFile { return try ThirdPartyFiles.bytes(of: "revenuecat/\(bodyFile)") }
            return Data((self.body ?? "").utf8)
        }
    }

    private func event(_ name: String) throws -> StoreEvent {
        let webhook = RevenueCatWebhook()
        return try webhook.event(from: try ThirdPartyFiles.bytes(of: "revenuecat/\(name).json"))
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `every computed signature is valid for its own body only`() throws {
        let vectors = try JSONDecoder().decode(
            [SignatureVector].self,
            from: try ThirdPartyFiles.bytes(of: "revenuecat/hmac-vectors.json")
        )
        #expect(vectors.count >= 4)
        for vector in vectors {
            let webhook = RevenueCatWebhook(
                signingSecrets: [vector.secret],
                at: Date(timeIntervalSince1970: vector.t + 200)
            )
            let body = try vector.bytes()
            #expect(webhook.refusal(signature: vector.header, of: body) == nil, "\(vector.name)")
            #expect(webhook.refusal(signature: vector.header, of: body + Data([0x0A])) == .unauthenticated)
        }
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `every published event is read with its type`() throws {
        let names = try ThirdPartyFiles.names(in: "revenuecat").filter { $0.hasSuffix(".json") }
        let others = ["hmac-vectors.json", "subscriber-v1-example.json"]
        let events = names.filter { !others.contains($0) }
        #expect(events.count >= 11)
        for name in events {
            let event = try self.event(String(name.dropLast(5)))
            #expect(event.statements.count == 1, "\(name)")
            #expect(event.statements.first?.owners.isEmpty == false, "\(name)")
        }
    }

    @Test(
        .enabled(if: ThirdPartyFiles.arePresent),
        arguments: [
            ("initial_purchase", "INITIAL_PURCHASE", false), ("renewal", "RENEWAL", false),
            ("initial_purchase_full_envelope", "INITIAL_PURCHASE", false),
            ("trial_started_initial_purchase", "INITIAL_PURCHASE", false),
            ("non_renewing_purchase", "NON_RENEWING_PURCHASE", false),
            ("cancellation_unsubscribe", "CANCELLATION.UNSUBSCRIBE", true),
            ("cancellation_refund_customer_support", "CANCELLATION.CUSTOMER_SUPPORT", true),
            ("uncancellation", "UNCANCELLATION", true), ("billing_issue", "BILLING_ISSUE", true),
            ("subscription_paused", "SUBSCRIPTION_PAUSED", true), ("expiration", "EXPIRATION.UNSUBSCRIBE", true),
        ]
    )
    func `a published event has its type, and proves a payment or not`(
        name: String,
        type: String,
        pending: Bool
    ) throws {
        let event = try self.event(name)
        #expect(event.type == type)
        #expect(event.statements.first?.fact.pending == pending)
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `the published refund is a full refund of its own transaction`() throws {
        let event = try self.event("cancellation_refund_customer_support")
        let statement = try #require(event.statements.first)
        #expect(statement.fact.transactionID == "100000000000000")
        #expect(statement.fact.refundedMillionths == 1_000_000)
        #expect(statement.fact.refundedAt == Date(timeIntervalSince1970: 1_601_337_615.995))
        #expect(
            statement.owners == [
                "$RCAnonymousID:12345678-1234-ABCD-1234-123456789123",
                "$RCAnonymousID:12345678-1234-1234-1234-123456789123", "user_1234",
            ]
        )
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `the published trial, expiration and pass have their types`() throws {
        let trial = try #require(try self.event("trial_started_initial_purchase").statements.first).fact
        #expect(trial.periodType == .trial)
        #expect(trial.store == .playStore)
        #expect(trial.orderID == "123456789012345")
        let end = try #require(try self.event("expiration").statements.first).fact
        #expect(end.expiredAt == Date(timeIntervalSince1970: 1_697_451_423))
        #expect(end.expiresAt == nil)
        let tokens = try #require(try self.event("non_renewing_purchase").statements.first).fact
        #expect(tokens.kind == .oneTime)
        #expect(tokens.storeProductID == "2100_tokens")
    }
}
