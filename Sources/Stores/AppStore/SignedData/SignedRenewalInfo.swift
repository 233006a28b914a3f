public import Foundation

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

/// The payload of signed renewal information, with the App Store's own member names.
///
/// Members that the store omits are nil; unknown members and values are ignored.
public struct JWSRenewalInfoDecodedPayload: Decodable, Hashable, Sendable {
    /// The reason why a subscription ended: 1 cancelled, 2 billing, 3 price, 4 product unavailable, 5 other.
    public var expirationIntent: Int?
    /// The first transaction of the subscription.
    public var originalTransactionId: String?
    /// 1 if the subscription will renew, 0 if not.
    public var autoRenewStatus: Int?
    /// A Boolean value that indicates whether the store is trying to collect a failed payment.
    public var isInBillingRetryPeriod: Bool?
    /// The time until which access continues although the payment failed.
    public var gracePeriodExpiresDate: Date?
    /// 1 if the customer accepted a higher price, 0 if they have not responded.
    public var priceIncreaseStatus: Int?
    /// The time at which the store signed the information.
    public var signedDate: Date?
    /// The environment of the store.
    public var environment: AppStoreEnvironment?
    /// The price of the next period in thousandths of the currency's unit.
    public var renewalPrice: Int64?
    /// The renewal of the current commitment; nil for a subscription that is billed up front.
    public var commitmentInfo: CommitmentInfo?

    /// The renewal at the end of a commitment.
    public struct CommitmentInfo: Decodable, Hashable, Sendable {
        /// 1 if the commitment will renew, 0 if not; the current commitment is billed to its end in both cases.
        public var commitmentAutoRenewStatus: Int?
    }

    // Members of the store's other signed data, which renewal information does not contain.
    private var transactionId: String?
    private var notificationUUID: String?
    private var receiptType: String?

    /// A Boolean value that indicates whether this is other signed data of the store, which also decodes because every
    /// member is optional.
    var isOtherData: Bool {
        self.transactionId != nil || self.notificationUUID != nil || self.receiptType != nil
    }
}

extension JWSRenewalInfoDecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.environment }
}
