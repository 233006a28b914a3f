public import Foundation

/// What signed renewal information says, in the App Store's own names.
///
/// Members that the store leaves out are nil; members and values that this build does not know do no harm.
public struct JWSRenewalInfoDecodedPayload: Decodable, Hashable, Sendable {
    /// Why a subscription ended: 1 cancelled, 2 billing, 3 price, 4 product unavailable, 5 other.
    public var expirationIntent: Int?
    /// The first transaction of the subscription.
    public var originalTransactionId: String?
    /// The product that the next period is of.
    public var autoRenewProductId: String?
    /// The product of the running period.
    public var productId: String?
    /// 1 if the subscription will renew, 0 if not.
    public var autoRenewStatus: Int?
    /// The store is trying to collect a failed payment.
    public var isInBillingRetryPeriod: Bool?
    /// Until when access goes on although the payment failed.
    public var gracePeriodExpiresDate: Date?
    /// 1 if the person accepted a higher price, 0 if they have not answered.
    public var priceIncreaseStatus: Int?
    /// When the store signed this.
    public var signedDate: Date?
    /// The side of the store.
    public var environment: AppStoreEnvironment?
    /// When the present run of periods without a gap began.
    public var recentSubscriptionStartDate: Date?
    /// When the next period begins.
    public var renewalDate: Date?
    /// The price of the next period in thousandths of the currency's unit.
    public var renewalPrice: Int64?
    /// The currency, ISO 4217.
    public var currency: String?
    /// The account token that the app set when buying.
    public var appAccountToken: String?
    /// The id of the person's copy of the app.
    public var appTransactionId: String?
    /// How the next period is billed: BILLED_UPFRONT or MONTHLY.
    public var renewalBillingPlanType: String?
    /// What follows the running commitment; nil for a subscription that is billed up front.
    public var commitmentInfo: CommitmentInfo?

    /// What happens when a commitment ends.
    public struct CommitmentInfo: Decodable, Hashable, Sendable {
        /// 1 if the commitment will renew, 0 if not: billing goes on to its end either way.
        public var commitmentAutoRenewStatus: Int?
        /// The product that the next commitment is of.
        public var commitmentAutoRenewProductId: String?
        /// When the next commitment begins.
        public var commitmentRenewalDate: Date?
    }

    // Members of the store's other signed data: renewal information has neither.
    private var transactionId: String?
    private var notificationUUID: String?
    private var receiptType: String?

    /// The store signed this as something else: the form alone does not show it, since every member is optional.
    var isOtherData: Bool {
        self.transactionId != nil || self.notificationUUID != nil || self.receiptType != nil
    }
}

extension JWSRenewalInfoDecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.environment }
}
