/// Renewal information that the App Store signed.
///
/// It names no app: it is to be believed only beside a transaction that came in the same verified message.
public struct SignedRenewalInfo: Hashable, Sendable {
    /// What the store says.
    public let payload: JWSRenewalInfoDecodedPayload
    /// The side of the store.
    public let environment: StoreEnvironment

    /// Lays the flags of the renewal over a fact about the same subscription, and leaves other facts as they are.
    /// - Parameter fact: the fact of the subscription's transaction.
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
        // While a payment is collected in a grace period the flag may be missing; the grace period's end says it too.
        fact.billingIssue = self.payload.isInBillingRetryPeriod ?? (self.payload.gracePeriodExpiresDate != nil)
        fact.graceEndsAt = self.payload.gracePeriodExpiresDate
    }
}
