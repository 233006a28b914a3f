public import Foundation

/// What a signed transaction says, in the App Store's own names.
///
/// Members that the store leaves out are nil; members and values that this build does not know do no harm. Only
/// ``SignedTransaction`` proves that the store signed it.
public struct JWSTransactionDecodedPayload: Decodable, Hashable, Sendable {
    /// The id of this transaction, new for every renewal.
    public var transactionId: String?
    /// The first transaction of the chain of renewals and restores.
    public var originalTransactionId: String?
    /// The id of the billing period, the same on every device.
    public var webOrderLineItemId: String?
    /// The app.
    public var bundleId: String?
    /// The product.
    public var productId: String?
    /// The group of subscriptions of which one person holds one at a time.
    public var subscriptionGroupIdentifier: String?
    /// When this transaction was charged.
    public var purchaseDate: Date?
    /// When the first transaction of the chain was charged.
    public var originalPurchaseDate: Date?
    /// When the subscription's period ends.
    public var expiresDate: Date?
    /// How many were bought.
    public var quantity: Int?
    /// The sort of product.
    public var type: ProductType?
    /// The account token that the app set when buying.
    public var appAccountToken: String?
    /// Bought or shared.
    public var inAppOwnershipType: OwnershipType?
    /// When the store signed this.
    public var signedDate: Date?
    /// 1 for a problem with the app, 0 for another reason.
    public var revocationReason: Int?
    /// When the store refunded the transaction or took it away.
    public var revocationDate: Date?
    /// How the store took it away.
    public var revocationType: RevocationType?
    /// The refunded share in thousandths of a percent: 50,000 is half.
    public var revocationPercentage: Int?
    /// The period was cut short by an upgrade.
    public var isUpgraded: Bool?
    /// The sort of offer.
    public var offerType: OfferType?
    /// The offer's own name.
    public var offerIdentifier: String?
    /// How the offer is paid.
    public var offerDiscountType: OfferDiscountType?
    /// How long the offer lasts, as an ISO 8601 duration.
    public var offerPeriod: String?
    /// The side of the store.
    public var environment: AppStoreEnvironment?
    /// The country of the store, three letters.
    public var storefront: String?
    /// The number of the country's store.
    public var storefrontId: String?
    /// PURCHASE or RENEWAL.
    public var transactionReason: String?
    /// The price in thousandths of the currency's unit.
    public var price: Int64?
    /// The currency, ISO 4217.
    public var currency: String?
    /// The id of the person's copy of the app.
    public var appTransactionId: String?
    /// BILLED_UPFRONT or MONTHLY.
    public var billingPlanType: String?
    /// Which billing period of a longer commitment this is; nil for a subscription that is billed up front.
    public var commitmentInfo: CommitmentInfo?

    /// The place of a billing period in its commitment.
    public struct CommitmentInfo: Decodable, Hashable, Sendable {
        /// The number of the billing period, from 1.
        public var billingPeriodNumber: Int?
        /// The number of billing periods of the commitment.
        public var totalBillingPeriods: Int?
        /// When the commitment ends; a late payment moves it.
        public var commitmentExpiresDate: Date?
        /// The price of all periods together in thousandths of the currency's unit.
        public var commitmentPrice: Int64?
    }
}

extension JWSTransactionDecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.environment }
}
