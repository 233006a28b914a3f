import Foundation

extension AppStoreWriter {
    /// Returns a subscription's renewal information as signed data.
    func signedRenewal(_ chain: SandboxSubscription, of newest: SandboxTransaction, at now: Date) throws -> String {
        var payload: [String: AppleJSON] = [
            "originalTransactionId": .text(newest.originalID),
            "productId": .text(newest.productID),
            "autoRenewProductId": .text(chain.nextProductID ?? newest.productID),
            "autoRenewStatus": .number(chain.isRenewing ? 1 : 0),
            "isInBillingRetryPeriod": .flag(chain.isInBillingRetry),
            "signedDate": .milliseconds(now),
            "environment": Self.name(of: newest.environment),
            "recentSubscriptionStartDate": .milliseconds(newest.originalPurchasedAt),
        ]
        if let intent = chain.expirationIntent(of: newest, at: now) { payload["expirationIntent"] = .number(intent) }
        if let graceEndsAt = chain.graceEndsAt, chain.isInBillingRetry {
            payload["gracePeriodExpiresDate"] = .milliseconds(graceEndsAt)
        }
        if let expiresAt = newest.expiresAt, chain.isRenewing { payload["renewalDate"] = .milliseconds(expiresAt) }
        if newest.billingPeriod != nil {
            payload["renewalBillingPlanType"] = .text("MONTHLY")
            payload["commitmentInfo"] = .object([
                "commitmentAutoRenewProductId": .text(chain.nextProductID ?? newest.productID),
                "commitmentAutoRenewStatus": .number(chain.isCommitmentEnding == true ? 0 : 1),
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
}
