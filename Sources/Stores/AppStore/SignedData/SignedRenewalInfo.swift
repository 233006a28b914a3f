/// Renewal information that the App Store signed.
///
/// It does not contain the app, so trust it only together with a transaction from the same verified message.
public struct SignedRenewalInfo: Hashable, Sendable {
    /// The content of the renewal information.
    public let payload: JWSRenewalInfoDecodedPayload
    /// The environment of the store.
    public let environment: StoreEnvironment

    /// Sets the renewal flags of a fact about the same subscription; leaves other facts unchanged.
    /// - Parameter fact: The fact of the subscription's transaction.
    public func overlay(on fact: inout StoreFact) {
        guard
            fact.kind == .subscription,
            self.environment == fact.environment,
            let subscription = self.payload.originalTransactionId,
            subscription == fact.originalTransactionID ?? fact.transactionID
        else { return }
        switch self.payload.autoRenewStatus {
        case 0: fact.willRenew = false
        case 1: fact.willRenew = true
        default: break
        }
        switch self.payload.commitmentInfo?.commitmentAutoRenewStatus {
        case 0: fact.commitmentRenews = false
        case 1: fact.commitmentRenews = true
        default: break
        }
        // In a grace period the store may omit the flag; the end of the grace period implies a failed payment.
        fact.billingIssue = self.payload.isInBillingRetryPeriod ?? (self.payload.gracePeriodExpiresDate != nil)
        fact.graceEndsAt = self.payload.gracePeriodExpiresDate
    }
}
