public import Foundation

/// Everything known about one store transaction from one source: the only value that the wallet's books take from a
/// store.
///
/// Facts are absolute (the refunded share so far, the renewal flag as it stands), never "plus one", so that applying
/// one twice, or an older one after a newer one, changes nothing. `wallet.apply_fact` takes the JSON form: snake-case
/// keys, instants as RFC 3339 UTC strings with milliseconds, unknown members left out.
public struct StoreFact: Sendable, Hashable {
    /// The store of sale.
    public var store: StoreName
    /// The side of the store.
    public var environment: StoreEnvironment
    /// The id by which the store names this transaction.
    ///
    /// App Store: the transaction id, which is new for every renewal and may be new for every restore. Google Play: the
    /// order id, or the purchase token where the store gives no order id.
    public var transactionID: String
    /// The first transaction of the chain of renewals and restores, where the store has such an id.
    public var originalTransactionID: String?
    /// The id of the billing period, the same on every device and after a restore (`web_order_line_item_id`).
    public var lineItemID: String?
    /// Google Play's purchase token.
    public var purchaseToken: String?
    /// Google Play's order id.
    public var orderID: String?
    /// The App Store's id of the person's copy of the app, the same over all purchases.
    public var appTransactionID: String?
    /// The product as the store names it.
    public var storeProductID: String
    /// All products of the purchase, this one among them, where the source lists several in it; nil else.
    ///
    /// It is what proves that two products under one id are two: without it, another name is taken for another name of
    /// the same product.
    public var purchaseProducts: [String]?
    /// One-time purchase or a subscription's period.
    public var kind: Kind
    /// How many of the product were bought, 1 or more.
    public var quantity: Int
    /// Bought by the submitter or shared with them.
    public var ownership: Ownership
    /// When this transaction was charged.
    public var purchasedAt: Date
    /// When the subscription's period ends; nil for one-time purchases.
    public var expiresAt: Date?
    /// The sort of period; nil for one-time purchases.
    public var periodType: PeriodType?
    /// Which billing period of a longer commitment it is; nil where a period is all that was bought.
    public var commitment: Commitment?
    /// The payment is not made yet; nothing is granted for it.
    public var pending: Bool
    /// The period was cut short by an upgrade to another product, which the store pays back by itself.
    public var upgraded: Bool
    /// The refunded share of the price so far, in millionths: 0 is none, 1,000,000 is all of it.
    ///
    /// nil when the source says nothing of refunds. A receipt never says 0: an old one goes on showing a consumable that
    /// was refunded since, and believing it would give the credits back.
    public var refundedMillionths: Int?
    /// When the store refunded; nil while nothing is known to be refunded.
    public var refundedAt: Date?
    /// The subscription will renew at the period's end; nil where the source does not say.
    public var willRenew: Bool?
    /// The commitment will renew when it ends; nil where the source does not say.
    ///
    /// One that will not renew goes on being billed to its end.
    public var commitmentRenews: Bool?
    /// The store is trying to collect a failed payment; nil where the source does not say.
    public var billingIssue: Bool?
    /// Until when access goes on although the payment failed, as the store dates it.
    public var graceEndsAt: Date?
    /// The instant at which the store says that the subscription ended; nil while it has not said so.
    public var expiredAt: Date?
    /// The store took the subscription away without giving money back, as when family sharing ends; nil where unsaid.
    public var revoked: Bool?
    /// The subscription rests from the period's end on; nil where the source does not say.
    public var paused: Bool?
    /// What kind of change brought the flags; at one source time it decides whose flags count.
    public var occasion: Occasion?
    /// How many credits the store itself says to grant for this purchase, where it keeps a currency of its own.
    public var reportedAmount: Int?
    /// Google Play's token of the purchase that this one replaces, after an upgrade or a new sign-up.
    public var linkedPurchaseToken: String?
    /// The store waits for the purchase to be acknowledged and pays it back after three days; nil where unsaid.
    public var needsAcknowledgement: Bool?
    /// The account token that the app set when buying, nil if it set none; see ``accountToken(_:)``.
    public var appAccountToken: UUID?
    /// SHA-256 of the receipt's bytes as lower-case hex; nil unless the source is a receipt.
    public var receiptSHA256: String?
    /// Who reported this.
    public var source: Source
    /// When the source said so, by the source's own clock; of two facts the newer one's flags hold.
    public var sourceAt: Date

    /// Creates a fact of one transaction; what is not given is unknown or not the case.
    /// - Parameters:
    ///   - store: the store of sale.
    ///   - environment: the side of the store.
    ///   - transactionID: the id by which the store names the transaction.
    ///   - storeProductID: the product as the store names it.
    ///   - kind: one-time purchase or a subscription's period.
    ///   - quantity: how many were bought.
    ///   - ownership: bought or shared.
    ///   - purchasedAt: when the transaction was charged.
    ///   - source: who reported this.
    ///   - sourceAt: when the source said so.
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

    /// Returns the account token that a store's text holds, nil for text that names no user.
    ///
    /// Apps that set no token send an empty or an all-zero one. Other text that is no UUID is not a token that this
    /// service gave out, so it counts as absent, too: a purchase is not refused for it.
    ///
    /// - Parameter text: The token as the store has it; nil for none.
    /// - Returns: The token.
    static func accountToken(_ text: String?) -> UUID? {
        let token = text.flatMap(UUID.init(uuidString:))
        return token == Self.absentAccountToken ? nil : token
    }

    /// The all-zero account token that some libraries send where an app sets none.
    public static let absentAccountToken = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
