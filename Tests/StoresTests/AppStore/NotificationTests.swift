import Foundation
import Stores
import Testing

@Suite
struct NotificationTests {
    let authority: SigningAuthority
    let verifier: SignedDataVerifier

    init() throws {
        self.authority = try SigningAuthority()
        self.verifier = try SignedData.verifier(under: self.authority)
    }

    /// Returns the event of a notification about a subscription's period.
    private func event(
        _ type: String,
        _ subtype: String? = nil,
        transaction: [String: any Sendable] = [:],
        renewal: [String: any Sendable] = [:]
    ) async throws -> StoreEvent {
        let inner: [String: any Sendable] = [
            "signedTransactionInfo": try self.authority.sign(SignedData.period(transaction)),
            "signedRenewalInfo": try self.authority.sign(SignedData.renewal(renewal)),
        ]
        let payload = SignedData.notification(type, subtype, data: inner)
        return try await self.verifier.notification(try self.authority.sign(payload))
    }

    private func fact(
        _ type: String,
        _ subtype: String? = nil,
        transaction: [String: any Sendable] = [:],
        renewal: [String: any Sendable] = [:]
    ) async throws -> StoreFact {
        let event = try await self.event(type, subtype, transaction: transaction, renewal: renewal)
        #expect(event.ignored == nil && event.statements.count == 1)
        return try #require(event.statements.first).fact
    }

    @Test(arguments: [
        ("SUBSCRIBED", "INITIAL_BUY"), ("SUBSCRIBED", "RESUBSCRIBE"), ("DID_RENEW", nil),
        ("DID_RENEW", "BILLING_RECOVERY"), ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"),
        ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE"), ("DID_CHANGE_RENEWAL_PREF", nil), ("OFFER_REDEEMED", nil),
        ("OFFER_REDEEMED", "UPGRADE"), ("OFFER_REDEEMED", "DOWNGRADE"), ("OFFER_REDEEMED", "INITIAL_BUY"),
        ("PRICE_INCREASE", "PENDING"), ("PRICE_INCREASE", "ACCEPTED"), ("REFUND_DECLINED", nil),
        ("RENEWAL_EXTENDED", nil), ("RENEWAL_EXTENSION", "FAILURE"), ("ONE_TIME_CHARGE", nil),
        ("DID_RENEW", "SOMETHING_NEW"),
    ])
    func `types that report a state yield a fact with its flags`(type: String, subtype: String?) async throws {
        let event = try await self.event(type, subtype, renewal: ["autoRenewStatus": 0])
        #expect(event.source == .appStore)
        #expect(event.id == "6fa1dd3f-2d31-4f1b-9bb2-3f0e4ce1a1c2")
        #expect(event.type == [type, subtype].compactMap { $0 }.joined(separator: "."))
        #expect(event.ignored == nil && event.consumptionRequest == nil && event.question == nil)
        let statement = try #require(event.statements.first)
        #expect(event.statements.count == 1 && statement.owners.isEmpty)
        let fact = statement.fact
        #expect(fact.transactionID == "2000000000000002" && fact.originalTransactionID == "2000000000000001")
        #expect(fact.source == .notification && fact.occasion == .renewal)
        #expect(fact.sourceAt == signingTime.addingTimeInterval(1))
        #expect(fact.willRenew == false && fact.billingIssue == false && fact.graceEndsAt == nil)
        #expect(fact.refundedMillionths == 0 && fact.expiredAt == nil && fact.revoked == nil && !fact.pending)
    }

    @Test(arguments: ["VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", nil])
    func `an end is dated at the end of the paid period`(subtype: String?) async throws {
        let fact = try await self.fact(
            "EXPIRED",
            subtype,
            transaction: ["expiresDate": SignedData.milliseconds - 60_000],
            renewal: ["autoRenewStatus": 0]
        )
        #expect(fact.expiredAt == signingTime.addingTimeInterval(-60))
        #expect(fact.occasion == .expiration && fact.willRenew == false)
    }

    @Test
    func `a failed payment is reported with and without a grace period`() async throws {
        let grace = SignedData.milliseconds + 24 * SignedData.hour
        let kept = try await self.fact(
            "DID_FAIL_TO_RENEW",
            "GRACE_PERIOD",
            renewal: ["isInBillingRetryPeriod": absent, "gracePeriodExpiresDate": grace]
        )
        #expect(kept.occasion == .billingIssue && kept.billingIssue == true)
        #expect(kept.graceEndsAt == signingTime.addingTimeInterval(86_400))
        let stopped = try await self.fact("DID_FAIL_TO_RENEW", renewal: ["isInBillingRetryPeriod": false])
        #expect(stopped.occasion == .billingIssue && stopped.billingIssue == true && stopped.graceEndsAt == nil)
    }

    @Test
    func `the end of a grace period leaves the payment outstanding`() async throws {
        let fact = try await self.fact(
            "GRACE_PERIOD_EXPIRED",
            renewal: ["isInBillingRetryPeriod": true, "gracePeriodExpiresDate": SignedData.milliseconds]
        )
        #expect(fact.occasion == .expiration && fact.billingIssue == true)
        #expect(fact.graceEndsAt == signingTime && fact.expiredAt == nil)
    }

    @Test
    func `the subtype decides whether renewal was turned on or off`() async throws {
        let off = try await self.fact("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
        #expect(off.occasion == .cancellation && off.willRenew == false)
        let on = try await self.fact("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", renewal: ["autoRenewStatus": 0])
        #expect(on.occasion == .uncancellation && on.willRenew == true)
        let unsaid = try await self.fact("DID_CHANGE_RENEWAL_STATUS", renewal: ["autoRenewStatus": 1])
        #expect(unsaid.occasion == .uncancellation && unsaid.willRenew == true)
    }

    @Test
    func `a refund has the transaction's percentage, and is full without one`() async throws {
        let whole = try await self.fact("REFUND")
        #expect(whole.refundedMillionths == 1_000_000 && whole.occasion == .refund)
        #expect(whole.refundedAt == signingTime.addingTimeInterval(1))
        let half = try await self.fact(
            "REFUND",
            transaction: [
                "revocationDate": SignedData.milliseconds, "revocationType": "REFUND_PRORATED",
                "revocationPercentage": 50_000,
            ]
        )
        #expect(half.refundedMillionths == 500_000 && half.refundedAt == signingTime)
        let upgraded = try await self.fact(
            "REFUND",
            transaction: ["revocationDate": SignedData.milliseconds, "isUpgraded": true]
        )
        #expect(upgraded.refundedMillionths == 1_000_000)
    }

    @Test
    func `a reversed refund is zero even if the transaction still has one`() async throws {
        for stale: [String: any Sendable] in [[:], ["revocationDate": SignedData.milliseconds]] {
            let fact = try await self.fact("REFUND_REVERSED", transaction: stale)
            #expect(fact.refundedMillionths == 0 && fact.refundedAt == nil && fact.occasion == .refund)
        }
    }

    @Test
    func `the end of family sharing is reported as revoked`() async throws {
        let fact = try await self.fact("REVOKE", transaction: ["inAppOwnershipType": "FAMILY_SHARED"])
        #expect(fact.revoked == true && fact.ownership == .familyShared && fact.occasion == .renewal)
    }

    @Test
    func `a consumption request names its transaction`() async throws {
        let event = try await self.event("CONSUMPTION_REQUEST", transaction: ["transactionId": "2000000000000042"])
        #expect(event.consumptionRequest == "2000000000000042")
        #expect(event.statements.map(\.fact.transactionID) == ["2000000000000042"])
        #expect(event.statements.first?.fact.refundedMillionths == 0)
    }

    @Test
    func `a one-time purchase needs no renewal information`() async throws {
        let inner = try self.authority.sign(SignedData.transaction(["quantity": 2]))
        let payload = SignedData.notification("ONE_TIME_CHARGE", data: ["signedTransactionInfo": inner])
        let event = try await self.verifier.notification(try self.authority.sign(payload))
        let fact = try #require(event.statements.first).fact
        #expect(fact.kind == .oneTime && fact.quantity == 2 && fact.willRenew == nil)
    }

    @Test(arguments: [
        "TEST", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE", "EXTERNAL_PURCHASE_TOKEN",
        "SOMETHING_NEW",
    ])
    func `types without payment data are ignored with a reason`(type: String) async throws {
        let event = try await self.event(type, "SOMETHING")
        #expect(event.ignored?.isEmpty == false)
        #expect(event.statements.isEmpty && event.consumptionRequest == nil)
        #expect(event.type == "\(type).SOMETHING")
    }

    @Test
    func `messages without a transaction are ignored, but must be of one of our apps`() async throws {
        let parts: [(String, String, [String: any Sendable])] = [
            ("RENEWAL_EXTENSION", "summary", ["environment": "Production", "succeededCount": 5]),
            ("EXTERNAL_PURCHASE_TOKEN", "externalPurchaseToken", ["externalPurchaseId": "b2158121"]),
            ("RESCIND_CONSENT", "appData", ["environment": "Production"]),
        ]
        for (type, name, members) in parts {
            let ours = members.changed(by: ["bundleId": appBundle, "appAppleId": 1_234])
            for (change, expected): ([String: any Sendable], StoreError.Code?) in [
                ([:], nil), (["bundleId": "com.example.other"], .wrongApp), (["appAppleId": 1_235], .wrongApp),
            ] {
                let part = ours.changed(by: change)
                let signed = try self.authority.sign(
                    SignedData.notification(type, nil, data: [:], ["data": absent, name: part])
                )
                #expect(
                    await code { () throws(StoreError) in try await self.verifier.notification(signed) } == expected
                )
                guard expected == nil else { continue }
                #expect(try await self.verifier.notification(signed).ignored?.isEmpty == false)
            }
        }
    }

    @Test
    func `an external purchase's token has its environment in its id`() async throws {
        let token: [String: any Sendable] = ["externalPurchaseId": "SANDBOX_b2158121", "bundleId": appBundle]
        let signed = try self.authority.sign(
            SignedData.notification(
                "EXTERNAL_PURCHASE_TOKEN",
                nil,
                data: [:],
                ["data": absent, "externalPurchaseToken": token]
            )
        )
        #expect(try await self.verifier.notification(signed).ignored != nil)
        let production = try SignedData.verifier(
            under: self.authority,
            {
                $0.environments = [.production]
                $0.appAppleIDs = []
            }
        )
        #expect(await code { () throws(StoreError) in try await production.notification(signed) } == .wrongEnvironment)
    }
}
