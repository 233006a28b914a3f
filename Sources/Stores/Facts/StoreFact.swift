public import Foundation

/// The data about one store transaction from one source: the only value that the ledger accepts from a store.
///
/// Facts are absolute (the total refunded share, the current renewal flag), never increments. So applying a fact twice,
/// or an older fact after a newer one, changes nothing. `wallet.apply_fact` reads the JSON form: snake-case keys,
/// instants as RFC 3339 UTC strings with milliseconds, without unknown members.
public struct StoreFact: Sendable, Hashable {
    /// The store that sold the purchase.
    public var store: StoreName
    /// The store environment.
    public var environment: StoreEnvironment
    /// The store's id of this transaction.
    ///
    /// App Store: the transaction id, which is new for every renewal and may be new for every restore. Google Play: the
    /// order id, or the purchase token if there is no order id.
    public var transactionID: String
    /// The first transaction of the chain of renewals and restores, if the store has such an id.
    public var originalTransactionID: String?
    /// The id of the billing period, the same on every device and after a restore (`web_order_line_item_id`).
    public var lineItemID: String?
    /// Google Play's purchase token.
    public var purchaseToken: String?
    /// Google Play's order id.
    public var orderID: String?
    /// The App Store's id of the customer's copy of the app, the same for all purchases.
    public var appTransactionID: String?
    /// The store's id of the product.
    public var storeProductID: String
    /// All products of the purchase, including this one, if the source lists several; otherwise nil.
    ///
    /// The list proves that two product ids under one transaction id are different products. Without it, another
    /// product id is treated as another name of the same product.
    public var purchaseProducts: [String]?
    /// One-time purchase or subscription period.
    public var kind: Kind
    /// The number of products that were bought, 1 or more.
    public var quantity: Int
    /// The ownership: bought by the submitter or shared with them.
    public var ownership: Ownership
    /// The time at which this transaction was charged.
    public var purchasedAt: Date
    /// The end of the subscription's period; nil for one-time purchases.
    public var expiresAt: Date?
    /// The kind of period; nil for one-time purchases.
    public var periodType: PeriodType?
    /// The billing period within a longer commitment; nil for a purchase without a commitment.
    public var commitment: Commitment?
    /// A Boolean value that indicates whether the payment is still pending; a pending purchase grants nothing.
    public var pending: Bool
    /// A Boolean value that indicates whether an upgrade to another product cut the period short; the store itself
    /// repays the rest.
    public var upgraded: Bool
    /// The total refunded share of the price, in millionths: 0 is no refund, 1,000,000 is a full refund.
    ///
    /// The value is nil if the source gives no information about refunds. A receipt never reports 0: an old receipt
    /// still lists a consumable that was refunded later, and applying 0 would restore its credits.
    public var refundedMillionths: Int?
    /// The time of the refund; nil if no refund is known.
    public var refundedAt: Date?
    /// A Boolean value that indicates whether the subscription will renew; nil if the source does not specify it.
    public var willRenew: Bool?
    /// A Boolean value that indicates whether the commitment will renew; nil if the source does not specify it.
    ///
    /// A commitment that will not renew is still billed to its end.
    public var commitmentRenews: Bool?
    /// A Boolean value that indicates whether the store is trying to collect a failed payment; nil if the source does
    /// not specify it.
    public var billingIssue: Bool?
    /// The time until which access continues although the payment failed, as the store dates it.
    public var graceEndsAt: Date?
    /// The time at which the subscription ended according to the store; nil while the store has not reported an end.
    public var expiredAt: Date?
    /// A Boolean value that indicates whether the store revoked the subscription without a refund, for example when
    /// family sharing ended; nil if the source does not specify it.
    public var revoked: Bool?
    /// A Boolean value that indicates whether the subscription is paused from the period's end; nil if the source does
    /// not specify it.
    public var paused: Bool?
    /// The kind of change that the fact reports; between facts with the same source time it decides which flags apply.
    public var occasion: Occasion?
    /// The number of credits that the store reports for this purchase, if the store manages a virtual currency.
    public var reportedAmount: Int?
    /// Google Play's token of the purchase that this one replaces, after an upgrade or a new sign-up.
    public var linkedPurchaseToken: String?
    /// A Boolean value that indicates whether the store still expects an acknowledgement, without which it refunds the
    /// purchase after three days; nil if the source does not specify it.
    public var needsAcknowledgement: Bool?
    /// The account token that the app set when buying, nil if it set none; see ``accountToken(_:)``.
    public var appAccountToken: UUID?
    /// SHA-256 of the receipt's bytes as lower-case hex; nil unless the source is a receipt.
    public var receiptSHA256: String?
    /// The source of this fact.
    public var source: Source
    /// The time of the source's report, by the source's clock; of two facts, the flags of the newer one apply.
    public var sourceAt: Date

    /// Creates a fact of one transaction; members without a parameter are unknown or false.
    /// - Parameters:
    ///   - store: The store that sold the purchase.
    ///   - environment: The store environment.
    ///   - transactionID: The store's id of the transaction.
    ///   - storeProductID: The store's id of the product.
    ///   - kind: One-time purchase or subscription period.
    ///   - quantity: The number of products that were bought.
    ///   - ownership: Bought or shared.
    ///   - purchasedAt: The time at which the transaction was charged.
    ///   - source: The source of this fact.
    ///   - sourceAt: The time of the source's report.
    public init(
        store: StoreName,
        environment: StoreEnvironment,
        transactionID: String,
        storeProductID: String,
        kind: Kind,
        quantity: Int = 1,
        ownership: Ownership = .purchased,
        purchasedAt: Date,
        source: Source,
        sourceAt: Date
    ) {
        self.store = store
        self.environment = environment
        self.transactionID = transactionID
        self.storeProductID = storeProductID
        self.kind = kind
        self.quantity = quantity
        self.ownership = ownership
        self.purchasedAt = purchasedAt
        self.pending = false
        self.upgraded = false
        self.refundedMillionths = nil
        self.source = source
        self.sourceAt = sourceAt
    }

    /// Returns the account token in a store's text; nil if the text contains none.
    ///
    /// Apps that set no token send an empty or an all-zero one. Text that is not a UUID is also treated as absent,
    /// because this service never issued it. The purchase is not refused for it.
    ///
    /// - Parameter text: The token as the store has it; nil for none.
    /// - Returns: The token.
    static func accountToken(_ text: String?) -> UUID? {
        let token = text.flatMap(UUID.init(uuidString:))
        return token == Self.absentAccountToken ? nil : token
    }

    /// The all-zero account token that some libraries send if an app sets none.
    public static let absentAccountToken = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
