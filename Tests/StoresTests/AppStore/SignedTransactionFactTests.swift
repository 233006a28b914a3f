import Foundation
import Stores
import Testing

@Suite
struct SignedTransactionFactTests {
    let authority: SigningAuthority
    let verifier: SignedDataVerifier

    init() throws {
        self.authority = try SigningAuthority()
        self.verifier = try SignedData.verifier(under: self.authority)
    }

    private func fact(_ payload: [String: any Sendable]) async throws -> StoreFact {
        let signed = try self.authority.sign(payload)
        return try await self.verifier.transaction(signed).fact(source: .signedTransaction)
    }

    private func refusal(_ payload: [String: any Sendable]) async throws -> StoreError.Code? {
        let signed = try self.authority.sign(payload)
        return await code { () throws(StoreError) in
            let transaction = try await self.verifier.transaction(signed)
            return try transaction.fact(source: .signedTransaction)
        }
    }

    @Test
    func `a consumable is a paid one-time purchase without a refund`() async throws {
        let token = UUID()
        let fact = try await self.fact(SignedData.transaction(["quantity": 3, "appAccountToken": token.uuidString]))
        var expected = StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: "2000000000000001",
            storeProductID: starter,
            kind: .oneTime,
            quantity: 3,
            purchasedAt: signingTime.addingTimeInterval(-3_600),
            source: .signedTransaction,
            sourceAt: signingTime
        )
        expected.originalTransactionID = "2000000000000001"
        expected.appTransactionID = "704000000000000001"
        expected.appAccountToken = token
        expected.refundedMillionths = 0
        expected.occasion = .renewal
        #expect(fact == expected)
    }

    @Test(arguments: ["", "00000000-0000-0000-0000-000000000000", "no uuid", "7e3fb20b4cdb47cc936d99d65f608138"])
    func `an invalid account token is ignored`(token: String) async throws {
        let fact = try await self.fact(SignedData.transaction(["appAccountToken": token]))
        #expect(fact.appAccountToken == nil)
    }

    @Test
    func `a billing period of a commitment has its number`() async throws {
        let monthly: [String: any Sendable] = [
            "billingPlanType": "MONTHLY",
            "commitmentInfo": [
                "billingPeriodNumber": 3, "totalBillingPeriods": 12, "commitmentExpiresDate": 1_800_000_000_000,
                "commitmentPrice": 120_000,
            ],
        ]
        #expect(try await self.fact(SignedData.period(monthly)).commitment == StoreFact.Commitment(period: 3, of: 12))
        let upfront = SignedData.period(["billingPlanType": "BILLED_UPFRONT"])
        #expect(try await self.fact(upfront).commitment == nil)
        #expect(try await self.fact(SignedData.period()).commitment == nil)
    }

    @Test(arguments: [
        [:], ["billingPeriodNumber": 1], ["totalBillingPeriods": 12],
        [
            "billingPeriodNumber": 0, "totalBillingPeriods": 12,
        ], ["billingPeriodNumber": 13, "totalBillingPeriods": 12],
        [
            "billingPeriodNumber": 1, "totalBillingPeriods": 1_001,
        ],
    ])
    func `a monthly billed period without a number is unreadable`(
        info: [String: Int]
    ) async throws {
        let payload = SignedData.period(["billingPlanType": "MONTHLY", "commitmentInfo": info])
        #expect(try await self.refusal(payload) == .unreadable)
        #expect(try await self.refusal(SignedData.period(["billingPlanType": "MONTHLY"])) == .unreadable)
    }

    @Test
    func `a subscription's period has its line item and its end, and no renewal flags`() async throws {
        let fact = try await self.fact(SignedData.period())
        #expect(fact.kind == .subscription)
        #expect(fact.transactionID == "2000000000000002")
        #expect(fact.originalTransactionID == "2000000000000001")
        #expect(fact.lineItemID == "2000000000000077")
        #expect(fact.expiresAt == signingTime.addingTimeInterval(3_600))
        #expect(fact.periodType == .normal)
        #expect(fact.willRenew == nil && fact.billingIssue == nil && fact.graceEndsAt == nil)
        #expect(!fact.pending && !fact.upgraded)
    }

    @Test(arguments: ["Consumable", "Non-Consumable", "Non-Renewing Subscription"])
    func `a non-renewing product is a one-time purchase`(type: String) async throws {
        let fact = try await self.fact(
            SignedData.transaction(["type": type, "expiresDate": SignedData.milliseconds + SignedData.hour])
        )
        #expect(fact.kind == .oneTime)
        #expect(fact.expiresAt == nil && fact.periodType == nil)
    }

    @Test
    func `the offer determines the type of the period`() async throws {
        let cases: [([String: any Sendable], StoreFact.PeriodType)] = [
            (["offerType": 1, "offerDiscountType": "FREE_TRIAL"], .trial),
            (["offerType": 2, "offerDiscountType": "FREE_TRIAL"], .trial),
            (["offerType": 3, "offerDiscountType": "FREE_TRIAL"], .trial),
            (["offerType": 1, "offerDiscountType": "PAY_UP_FRONT"], .intro),
            (["offerType": 1], .intro), (["offerType": 1, "price": 0], .trial),
            (["offerType": 2, "offerDiscountType": "PAY_AS_YOU_GO"], .promotional),
            (["offerType": 4], .promotional), (["offerType": 3], .normal), (["offerType": 99], .normal),
            (["offerDiscountType": "SOMETHING_NEW"], .normal), ([:], .normal),
        ]
        for (members, expected) in cases {
            #expect(try await self.fact(SignedData.period(members)).periodType == expected, "\(members)")
        }
    }

    @Test
    func `a revocation refunds the store's percentage`() async throws {
        let at = SignedData.milliseconds - 60_000
        let cases: [([String: any Sendable], Int)] = [
            (["revocationReason": 0], 1_000_000), (["revocationType": "REFUND_FULL"], 1_000_000),
            (["revocationType": "REFUND_FULL", "revocationPercentage": 100_000], 1_000_000),
            (["revocationType": "REFUND_PRORATED", "revocationPercentage": 50_000], 500_000),
            (["revocationType": "REFUND_PRORATED", "revocationPercentage": 33_333], 333_330),
            (["revocationType": "REFUND_PRORATED", "revocationPercentage": 1], 10),
            (["revocationType": "REFUND_PRORATED"], 1_000_000), (["revocationPercentage": 25_000], 250_000),
            (["revocationType": "SOMETHING_NEW", "revocationPercentage": 25_000], 250_000),
            (["revocationType": "SOMETHING_NEW"], 1_000_000),
        ]
        for (members, expected) in cases {
            let fact = try await self.fact(SignedData.transaction(["revocationDate": at]).changed(by: members))
            #expect(fact.refundedMillionths == expected, "\(members)")
            #expect(fact.refundedAt == signingTime.addingTimeInterval(-60))
            #expect(fact.revoked == nil)
        }
    }

    @Test
    func `the end of family sharing revokes the purchase`() async throws {
        let fact = try await self.fact(
            SignedData.period([
                "inAppOwnershipType": "FAMILY_SHARED", "revocationType": "FAMILY_REVOKE",
                "revocationDate": SignedData.milliseconds,
            ])
        )
        #expect(fact.ownership == .familyShared)
        #expect(fact.revoked == true)
        #expect(fact.refundedMillionths == 1_000_000)
    }

    @Test
    func `an upgrade is not a refund`() async throws {
        let fact = try await self.fact(
            SignedData.period(["isUpgraded": true, "revocationDate": SignedData.milliseconds])
        )
        #expect(fact.upgraded)
        #expect(fact.refundedMillionths == nil && fact.refundedAt == nil)
    }

    @Test
    func `dates may have a fraction, and unknown members are ignored`() async throws {
        let fact = try await self.fact(
            SignedData.transaction([
                "purchaseDate": 1_700_000_000_123.75, "somethingNew": ["a": [1, 2]],
                "transactionReason": "SOMETHING_NEW",
            ])
        )
        #expect(fact.purchasedAt == Date(timeIntervalSince1970: 1_700_000_000.124))
    }

    @Test
    func `an invalid transaction is unreadable`() async throws {
        let cases: [[String: any Sendable]] = [
            ["transactionId": absent], ["transactionId": ""], ["transactionId": 5], ["productId": absent],
            ["purchaseDate": absent], ["purchaseDate": "yesterday"], ["purchaseDate": -1], ["purchaseDate": 1e300],
            ["signedDate": absent], ["type": absent], ["type": "Something New"], ["quantity": 0], ["quantity": -1],
            ["quantity": 1.5], ["quantity": 1e30], ["quantity": 3_000_000_000], ["inAppOwnershipType": "SOMETHING_NEW"],
            ["appAccountToken": "no\nline"], ["transactionId": "1\n2"],
            ["transactionId": String(repeating: "1", count: 256)], ["revocationDate": true],
            ["revocationDate": 1_700_000_000_000, "revocationPercentage": 100_001],
            ["revocationDate": 1_700_000_000_000, "revocationPercentage": -1],
            ["type": "Auto-Renewable Subscription"],
        ]
        for members in cases {
            #expect(try await self.refusal(SignedData.transaction(members)) == .unreadable, "\(members)")
        }
        #expect(try await self.refusal(SignedData.transaction()) == nil)
    }

    @Test
    func `renewal information applies to its own subscription only`() async throws {
        let info = try await self.verifier.renewalInfo(
            try self.authority.sign(
                SignedData.renewal([
                    "autoRenewStatus": 0, "isInBillingRetryPeriod": true,
                    "gracePeriodExpiresDate": SignedData.milliseconds + 2 * SignedData.hour,
                ])
            )
        )
        let plain = try await self.fact(SignedData.period())
        var own = plain
        info.overlay(on: &own)
        #expect(own.willRenew == false && own.billingIssue == true)
        #expect(own.graceEndsAt == signingTime.addingTimeInterval(7_200))
        let other = try await self.fact(SignedData.period(["originalTransactionId": "2000000000000009"]))
        var untouched = other
        info.overlay(on: &untouched)
        #expect(untouched == other)
        let sandbox = try await self.fact(SignedData.period(["environment": "Sandbox"]))
        untouched = sandbox
        info.overlay(on: &untouched)
        #expect(untouched == sandbox)
        let pack = try await self.fact(SignedData.transaction())
        untouched = pack
        info.overlay(on: &untouched)
        #expect(untouched == pack)
    }
}
