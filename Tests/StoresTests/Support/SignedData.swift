import AsyncHTTPClient
import Foundation
import Stores

/// Payloads in the App Store's format, and a verifier that trusts the tests' authority.
enum SignedData {
    static let milliseconds = Int64(signingTime.timeIntervalSince1970) * 1_000
    static let hour: Int64 = 3_600_000

    static func verifier(
        under authority: SigningAuthority,
        _ change: (inout SignedDataConfiguration) throws -> Void = { _ in },
        httpClient: HTTPClient = .shared
    ) throws -> SignedDataVerifier {
        var configuration = SignedDataConfiguration(bundleIDs: [appBundle], appAppleIDs: [1_234])
        configuration.roots = [try authority.root.der]
        try change(&configuration)
        return SignedDataVerifier(
            configuration: configuration,
            httpClient: httpClient,
            logger: .silent,
            wallClock: { signingTime }
        )
    }

    /// Returns a consumable's payload; a member whose change is `NSNull` is removed.
    static func transaction(_ change: [String: any Sendable] = [:]) -> [String: any Sendable] {
        [
            "transactionId": "2000000000000001",
            "originalTransactionId": "2000000000000001",
            "bundleId": appBundle,
            "productId": starter,
            "purchaseDate": self.milliseconds - self.hour,
            "originalPurchaseDate": self.milliseconds - self.hour,
            "quantity": 1,
            "type": "Consumable",
            "inAppOwnershipType": "PURCHASED",
            "signedDate": self.milliseconds,
            "environment": "Production",
            "appTransactionId": "704000000000000001",
            "price": 9_990,
            "currency": "EUR",
        ].changed(by: change)
    }

    static func period(_ change: [String: any Sendable] = [:]) -> [String: any Sendable] {
        self.transaction([
            "productId": monthly,
            "type": "Auto-Renewable Subscription",
            "webOrderLineItemId": "2000000000000077",
            "expiresDate": self.milliseconds + self.hour,
            "subscriptionGroupIdentifier": "20000001",
            "transactionId": "2000000000000002",
        ]).changed(by: change)
    }

    static func renewal(_ change: [String: any Sendable] = [:]) -> [String: any Sendable] {
        [
            "originalTransactionId": "2000000000000001",
            "productId": monthly,
            "autoRenewProductId": monthly,
            "autoRenewStatus": 1,
            "isInBillingRetryPeriod": false,
            "signedDate": self.milliseconds,
            "environment": "Production",
        ].changed(by: change)
    }

    static func appTransaction(_ change: [String: any Sendable] = [:]) -> [String: any Sendable] {
        [
            "receiptType": "Production",
            "appAppleId": 1_234,
            "bundleId": appBundle,
            "receiptCreationDate": self.milliseconds,
            "appTransactionId": "704000000000000001",
        ].changed(by: change)
    }

    static func notification(
        _ type: String,
        _ subtype: String? = nil,
        data: [String: any Sendable] = [:],
        _ change: [String: any Sendable] = [:]
    ) -> [String: any Sendable] {
        var payload: [String: any Sendable] = [
            "notificationType": type,
            "notificationUUID": "6fa1dd3f-2d31-4f1b-9bb2-3f0e4ce1a1c2",
            "version": "2.0",
            "signedDate": self.milliseconds + 1_000,
            "data": [
                "appAppleId": 1_234,
                "bundleId": appBundle,
                "environment": "Production",
                "status": 1,
            ].changed(by: data),
        ]
        payload["subtype"] = subtype
        return payload.changed(by: change)
    }
}

extension [String: any Sendable] {
    /// Returns these members with those of the change; `NSNull` removes a member.
    func changed(by change: [String: any Sendable]) -> [String: any Sendable] {
        self.merging(change) { $1 }.filter { !($0.value is NSNull) }
    }
}

/// A value that removes a member of a payload.
let absent = NSNull()

/// Returns the code of the error that the body throws, or nil.
func code(_ body: () async throws(StoreError) -> some Any) async -> StoreError.Code? {
    do throws(StoreError) {
        _ = try await body()
        return nil
    } catch {
        return error.code
    }
}
