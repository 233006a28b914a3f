public import Foundation

/// The payload of a signed transaction, with the App Store's own member names.
///
/// Members that the store omits are nil; unknown members and values are ignored. Only ``SignedTransaction`` proves that
/// the store signed the payload.
public struct JWSTransactionDecodedPayload: Decodable, Hashable, Sendable {
    /// The id of this transaction, new for every renewal.
    public var transactionId: String?
    /// The first transaction of the chain of renewals and restores.
    public var originalTransactionId: String?
    /// The id of the billing period, the same on every device.
    public var webOrderLineItemId: String?
    /// The bundle id of the app.
    public var bundleId: String?
    /// The product id.
    public var productId: String?
    /// The subscription group; a customer has at most one active subscription per group.
    public var subscriptionGroupIdentifier: String?
    /// The time at which this transaction was charged.
    public var purchaseDate: Date?
    /// The time at which the first transaction of the chain was charged.
    public var originalPurchaseDate: Date?
    /// The end of the subscription's period.
    public var expiresDate: Date?
    /// The number of items bought.
    public var quantity: Int?
    /// The kind of product.
    public var type: ProductType?
    /// The account token that the app set when buying.
    public var appAccountToken: String?
    /// The ownership: bought or shared.
    public var inAppOwnershipType: OwnershipType?
    /// The time at which the store signed the transaction.
    public var signedDate: Date?
    /// 1 for a problem with the app, 0 for any other reason.
    public var revocationReason: Int?
    /// The time at which the store refunded or revoked the transaction.
    public var revocationDate: Date?
    /// The kind of revocation.
    public var revocationType: RevocationType?
    /// The refunded share in thousandths of a percent: 50,000 is half.
    public var revocationPercentage: Int?
    /// A Boolean value that indicates whether an upgrade cut the period short.
    public var isUpgraded: Bool?
    /// The kind of offer.
    public var offerType: OfferType?
    /// The identifier of the offer.
    public var offerIdentifier: String?
    /// The discount of the offer.
    public var offerDiscountType: OfferDiscountType?
    /// The duration of the offer, as an ISO 8601 duration.
    public var offerPeriod: String?
    /// The environment of the store.
    public var environment: AppStoreEnvironment?
    /// The country of the storefront, three letters.
    public var storefront: String?
    /// The id of the storefront.
    public var storefrontId: String?
    /// PURCHASE or RENEWAL.
    public var transactionReason: String?
    /// The price in thousandths of the currency's unit.
    public var price: Int64?
    /// The currency, ISO 4217.
    public var currency: String?
    /// The id of the customer's copy of the app.
    public var appTransactionId: String?
    /// BILLED_UPFRONT or MONTHLY.
    public var billingPlanType: String?
    /// The billing period within a longer commitment; nil for a subscription that is billed up front.
    public var commitmentInfo: CommitmentInfo?

    /// The position of a billing period in its commitment.
    public struct CommitmentInfo: Decodable, Hashable, Sendable {
        /// The number of the billing period, from 1.
        public var billingPeriodNumber: Int?
        /// The number of billing periods of the commitment.
        public var totalBillingPeriods: Int?
        /// The end of the commitment; a late payment moves it.
        public var commitmentExpiresDate: Date?
        /// The price of all periods together in thousandths of the currency's unit.
        public var commitmentPrice: Int64?
    }
}

extension JWSTransactionDecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.environment }
}
