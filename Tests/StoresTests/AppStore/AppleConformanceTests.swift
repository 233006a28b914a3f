import AsyncHTTPClient
import Foundation
import Testing

@testable import Stores

/// Tests that Apple's mock data gives the same results as in Apple's own library.
@Suite(.enabled(if: AppleVectors.isPresent))
struct AppleConformanceTests {
    private func notification(_ name: String, _ verifier: SignedDataVerifier) async throws -> StoreError.Code? {
        let signed = try AppleVectors.signed(name)
        return await code { () throws(StoreError) in try await verifier.notification(signed) }
    }

    private func transaction(_ name: String, _ verifier: SignedDataVerifier) async throws -> StoreError.Code? {
        let signed = try AppleVectors.signed(name)
        return await code { () throws(StoreError) in try await verifier.transaction(signed) }
    }

    @Test
    func `a test notification is valid only in its own environment and app`() async throws {
        let sandbox = try AppleVectors.verifier(of: .sandbox)
        let event = try await sandbox.notification(try AppleVectors.signed("testNotification"))
        #expect(event.type == "TEST" && event.id == "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6")
        #expect(event.ignored == "test" && event.statements.isEmpty)
        let verified = try await sandbox.verify(
            try AppleVectors.signed("testNotification"),
            as: ResponseBodyV2DecodedPayload.self,
            maximumBytes: 10_000
        )
        #expect(verified.payload.data?.appAppleId == 1_234)
        let production = try AppleVectors.verifier(of: .production)
        #expect(try await self.notification("testNotification", production) == .wrongEnvironment)
        let other = try AppleVectors.verifier(of: .production, number: 1_235)
        #expect(try await self.notification("testNotification", other) == .wrongApp)
        #expect(try await self.transaction("testNotification", sandbox) == .wrongApp)
    }

    @Test
    func `a notification of another app, or without certificates, is refused`() async throws {
        let verifier = try AppleVectors.verifier(of: .sandbox)
        #expect(try await self.notification("wrongBundleId", verifier) == .wrongApp)
        #expect(try await self.notification("missingX5CHeaderClaim", verifier) == .malformedSignedData)
    }

    @Test
    func `the transaction and the renewal information are valid`() async throws {
        let verifier = try AppleVectors.verifier(of: .sandbox)
        let transaction = try await verifier.transaction(try AppleVectors.signed("transactionInfo"))
        #expect(transaction.environment == .sandbox && transaction.payload.bundleId == "com.example")
        #expect(transaction.payload.signedDate == Date(timeIntervalSince1970: 1_672_956_154))
        let renewal = try await verifier.renewalInfo(try AppleVectors.signed("renewalInfo"))
        #expect(renewal.environment == .sandbox)
        #expect(renewal.payload.signedDate == Date(timeIntervalSince1970: 1_672_956_154))
        let other = try AppleVectors.verifier(of: .sandbox, bundle: "com.example.x")
        #expect(try await self.transaction("transactionInfo", other) == .wrongApp)
    }

    @Test
    func `the mock data is refused under the pinned root`() async throws {
        var configuration = SignedDataConfiguration(bundleIDs: ["com.example"])
        configuration.environments = [.sandbox]
        let verifier = SignedDataVerifier(configuration: configuration, httpClient: .shared, logger: .silent)
        #expect(try await self.notification("testNotification", verifier) == .invalidCertificate)
        #expect(try await self.transaction("transactionInfo", verifier) == .invalidCertificate)
    }

    @Test
    func `an old-style transaction is not signed data`() async throws {
        let verifier = try AppleVectors.verifier(of: .sandbox)
        #expect(try await self.transaction("legacyTransaction", verifier) == .malformedSignedData)
    }

    @Test
    func `a decoded transaction is read`() throws {
        let plain = try self.payload(of: "signedTransaction")
        #expect(plain.type == .autoRenewable && plain.offerType == .introductory && plain.quantity == 1)
        #expect(plain.offerDiscountType == .payAsYouGo && plain.inAppOwnershipType == .purchased)
        #expect(plain.expiresDate == Date(timeIntervalSince1970: 1_698_149_000) && plain.environment == .localTesting)
        #expect(plain.price == 10_990 && plain.billingPlanType == "MONTHLY" && plain.isUpgraded == true)
        #expect(plain.commitmentInfo?.billingPeriodNumber == 3 && plain.commitmentInfo?.totalBillingPeriods == 12)
        let revoked = try self.payload(of: "signedTransactionWithRevocation")
        #expect(revoked.revocationType == .refundProrated && revoked.revocationPercentage == 50_000)
        #expect(revoked.revocationDate == Date(timeIntervalSince1970: 1_698_148_950))
        let fact = try SignedTransaction(payload: revoked, environment: .sandbox).fact(source: .serverAPI)
        #expect(fact.transactionID == "23456" && fact.originalTransactionID == "12345" && fact.lineItemID == "34343")
        #expect(fact.kind == .subscription && fact.periodType == .intro && fact.upgraded)
        #expect(fact.appAccountToken == UUID(uuidString: "7e3fb20b-4cdb-47cc-936d-99d65f608138"))
    }

    private func payload(of name: String) throws -> JWSTransactionDecodedPayload {
        try JSONDecoder.appStore.decode(JWSTransactionDecodedPayload.self, from: try AppleVectors.model(name))
    }

    @Test
    func `decoded renewal information is read`() throws {
        let info = try JSONDecoder.appStore.decode(
            JWSRenewalInfoDecodedPayload.self,
            from: try AppleVectors.model("signedRenewalInfo")
        )
        #expect(info.originalTransactionId == "12345" && info.autoRenewStatus == 1 && info.expirationIntent == 1)
        #expect(info.isInBillingRetryPeriod == true && info.priceIncreaseStatus == 0 && info.renewalPrice == 9_990)
        #expect(info.gracePeriodExpiresDate == Date(timeIntervalSince1970: 1_698_148_900))
        #expect(!info.isOtherData)
    }

    @Test
    func `decoded notifications are read`() throws {
        let subscribed = try self.notification(of: "signedNotification")
        #expect(subscribed.notificationType == .subscribed && subscribed.subtype?.rawValue == "INITIAL_BUY")
        #expect(subscribed.data?.signedTransactionInfo == "signed_transaction_info_value")
        #expect(subscribed.identity?.appAppleID == 41_234 && subscribed.data?.status == 1)
        let request = try self.notification(of: "signedConsumptionRequestNotification")
        #expect(request.notificationType == .consumptionRequest)
        #expect(request.data?.consumptionRequestReason == "UNINTENDED_PURCHASE")
        let summary = try self.notification(of: "signedSummaryNotification")
        #expect(summary.summary?.succeededCount == 5 && summary.summary?.failedCount == 2)
        #expect(summary.identity?.bundleID == "com.example" && summary.data == nil)
    }

    private func notification(of name: String) throws -> ResponseBodyV2DecodedPayload {
        try JSONDecoder.appStore.decode(ResponseBodyV2DecodedPayload.self, from: try AppleVectors.model(name))
    }
}
