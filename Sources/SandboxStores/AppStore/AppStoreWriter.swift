import Foundation
import JSON

/// Writes the signed data of the App Store.
struct AppStoreWriter: Sendable {
    let signer: AppleSigner
    let appAppleID: Int64

    /// The subscription group to which all subscriptions of these stores belong.
    static let subscriptionGroup = "20000001"

    /// Returns a transaction as signed data.
    func signedTransaction(_ transaction: SandboxTransaction, at now: Date) throws -> String {
        var payload: [String: JSONValue] = [
            "transactionId": .text(transaction.id),
            "originalTransactionId": .text(transaction.originalID),
            "bundleId": .text(transaction.bundleID),
            "productId": .text(transaction.productID),
            "purchaseDate": .milliseconds(transaction.purchasedAt),
            "originalPurchaseDate": .milliseconds(transaction.originalPurchasedAt),
            "quantity": .integer(transaction.quantity),
            "type": .text(Self.type(of: transaction.kind)),
            "inAppOwnershipType": .text(transaction.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED"),
            "signedDate": .milliseconds(now),
            "environment": Self.name(of: transaction.environment),
            "transactionReason": .text(transaction.renewedByStore == true ? "RENEWAL" : "PURCHASE"),
            "storefront": .text("USA"),
            "storefrontId": .text("143441"),
        ]
        Self.addSale(of: transaction, to: &payload)
        Self.addPeriod(of: transaction, to: &payload)
        Self.addRevocation(of: transaction, to: &payload)
        return try self.signer.sign(payload)
    }

    /// Returns the App Store's name of the product kind.
    static func type(of kind: SandboxProduct.Kind) -> String {
        switch kind {
        case .consumable: "Consumable"
        case .nonRenewing: "Non-Renewing Subscription"
        case .subscription: "Auto-Renewable Subscription"
        }
    }

    private static func addSale(of transaction: SandboxTransaction, to payload: inout [String: JSONValue]) {
        if let token = transaction.appAccountToken { payload["appAccountToken"] = .text(token.lowercased()) }
        if let id = transaction.appTransactionID { payload["appTransactionId"] = .text(id) }
        if let price = transaction.priceMilliunits { payload["price"] = .integer(price) }
        if let currency = transaction.currency { payload["currency"] = .text(currency) }
        guard transaction.isTrial else { return }
        payload["offerType"] = .integer(1)
        payload["offerDiscountType"] = .text("FREE_TRIAL")
    }

    private static func addPeriod(of transaction: SandboxTransaction, to payload: inout [String: JSONValue]) {
        if let expiresAt = transaction.expiresAt { payload["expiresDate"] = .milliseconds(expiresAt) }
        if let lineItem = transaction.lineItemID { payload["webOrderLineItemId"] = .text(lineItem) }
        if transaction.upgradedAt != nil { payload["isUpgraded"] = .bool(true) }
        guard transaction.kind == .subscription else { return }
        payload["subscriptionGroupIdentifier"] = .text(self.subscriptionGroup)
        guard let period = transaction.billingPeriod, let periods = transaction.billingPeriods else { return }
        payload["billingPlanType"] = .text("MONTHLY")
        payload["commitmentInfo"] = .object([
            "billingPeriodNumber": .integer(period), "totalBillingPeriods": .integer(periods),
        ])
    }

    private static func addRevocation(of transaction: SandboxTransaction, to payload: inout [String: JSONValue]) {
        guard let cancelledAt = transaction.cancelledAt else { return }
        payload["revocationDate"] = .milliseconds(cancelledAt)
        payload["revocationReason"] = .integer(0)
        guard transaction.revokedAt == nil else {
            payload["revocationType"] = .text("FAMILY_REVOKE")
            return
        }
        let share = transaction.refundedShare
        payload["revocationType"] = .text(share == 1_000_000 ? "REFUND_FULL" : "REFUND_PRORATED")
        payload["revocationPercentage"] = .integer(share / 10)
    }

    /// Returns a subscription's renewal information as signed data.
    func signedRenewal(_ chain: SandboxSubscription, of newest: SandboxTransaction, at now: Date) throws -> String {
        var payload: [String: JSONValue] = [
            "originalTransactionId": .text(newest.originalID),
            "productId": .text(newest.productID),
            "autoRenewProductId": .text(chain.nextProductID ?? newest.productID),
            "autoRenewStatus": .integer(chain.isRenewing ? 1 : 0),
            "isInBillingRetryPeriod": .bool(chain.isInBillingRetry),
            "signedDate": .milliseconds(now),
            "environment": Self.name(of: newest.environment),
            "recentSubscriptionStartDate": .milliseconds(newest.originalPurchasedAt),
        ]
        if let intent = chain.expirationIntent(of: newest, at: now) { payload["expirationIntent"] = .integer(intent) }
        if let graceEndsAt = chain.graceEndsAt, chain.isInBillingRetry {
            payload["gracePeriodExpiresDate"] = .milliseconds(graceEndsAt)
        }
        if let expiresAt = newest.expiresAt, chain.isRenewing { payload["renewalDate"] = .milliseconds(expiresAt) }
        if newest.billingPeriod != nil {
            payload["renewalBillingPlanType"] = .text("MONTHLY")
            payload["commitmentInfo"] = .object([
                "commitmentAutoRenewProductId": .text(chain.nextProductID ?? newest.productID),
                "commitmentAutoRenewStatus": .integer(chain.isCommitmentEnding == true ? 0 : 1),
                "commitmentRenewalBillingPlanType": .text("MONTHLY"),
            ])
        }
        if let token = newest.appAccountToken { payload["appAccountToken"] = .text(token.lowercased()) }
        if let id = newest.appTransactionID { payload["appTransactionId"] = .text(id) }
        return try self.signer.sign(payload)
    }

    /// Returns the App Store's status of a subscription: 1 active, 2 expired, 3 billing retry, 4 grace, 5 revoked.
    static func status(_ chain: SandboxSubscription, of newest: SandboxTransaction, at now: Date) -> Int {
        if newest.isUndone { return 5 }
        if chain.expiredReason != nil { return 2 }
        if chain.billingIssueSince != nil { return chain.isInGrace(at: now) ? 4 : 3 }
        return (newest.expiresAt ?? .distantFuture) > now ? 1 : 2
    }

    static func name(of environment: SandboxTransaction.Environment) -> JSONValue {
        .text(environment == .production ? "Production" : "Sandbox")
    }
}
