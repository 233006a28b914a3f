public import Foundation
import JSON

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

extension StoreFact {
    /// The kind of purchase that a fact is about.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// Bought once: consumable, non-consumable or non-renewing.
        case oneTime = "one_time"
        /// One period of an auto-renewing subscription.
        case subscription
    }

    /// The ownership of the user who submits a purchase.
    public enum Ownership: String, Codable, Hashable, Sendable {
        /// Paid for by that user.
        case purchased
        /// Shared by a family member who paid; it grants no credits.
        case familyShared = "family_shared"
    }

    /// The kind of subscription period that a fact is about.
    public enum PeriodType: String, Codable, Hashable, Sendable {
        /// A period at the full price.
        case normal
        /// A free trial.
        case trial
        /// An introductory price.
        case intro
        /// A promotional offer.
        case promotional
        /// A prepaid plan, which does not renew.
        case prepaid
    }

    /// The position of a billing period in a commitment of several periods.
    public struct Commitment: Hashable, Sendable {
        /// The number of the billing period, from 1.
        public let period: Int
        /// The number of billing periods of the commitment, at most 1,000.
        public let periods: Int

        /// Creates a position; nil if the commitment has no such period.
        /// - Parameters:
        ///   - period: The number of the billing period.
        ///   - periods: The number of billing periods of the commitment.
        public init?(period: Int, of periods: Int) {
            guard (1...1_000).contains(periods), (1...periods).contains(period) else { return nil }
            self.period = period
            self.periods = periods
        }
    }

    /// The kind of change that a fact about a subscription reports.
    ///
    /// Of two facts with the same source time, the one whose occasion comes first in this list determines the flags.
    public enum Occasion: String, Codable, Hashable, Sendable {
        /// A purchase was refunded, or a refund was reversed.
        case refund
        /// The subscription ended.
        case expiration
        /// A payment failed.
        case billingIssue = "billing_issue"
        /// Renewal was turned off.
        case cancellation
        /// Renewal was turned on again.
        case uncancellation
        /// A period began, or the source reports the current status.
        case renewal
    }

    /// The source of the fact.
    public enum Source: String, Codable, Hashable, Sendable {
        /// A receipt that the store's verification endpoint confirmed.
        case receipt
        /// A transaction that the store signed and the app submitted.
        case signedTransaction = "signed_transaction"
        /// A notification that the store sent.
        case notification
        /// An answer of the store's server API.
        case serverAPI = "server_api"
    }
}

extension StoreFact {
    /// The maximum number of products of one purchase, because each of its facts lists all of them.
    static let mostProducts = 100

    /// The product id without the base plan of Google Play's subscriptions, for comparing the products of one purchase.
    var productLabel: String {
        guard self.store == .playStore else { return self.storeProductID }
        let label = self.storeProductID.prefix { $0 != ":" }
        return label.isEmpty ? self.storeProductID : String(label)
    }
}

extension [StoreFact] {
    /// Returns the facts; if one purchase has several products, each of its facts lists all of them.
    ///
    /// - Parameter purchase: Returns the key of a fact's purchase; nil for a fact to leave unchanged.
    /// - Returns: The facts in their order.
    func listingProducts<Purchase: Hashable>(ofEach purchase: (StoreFact) -> Purchase?) -> [StoreFact] {
        var facts = self
        for (key, indices) in Dictionary(grouping: self.indices, by: { purchase(self[$0]) }) where key != nil {
            guard Set(indices.map { ExactText(self[$0].productLabel) }).count > 1 else { continue }
            let products = indices.map { self[$0].storeProductID }
            for index in indices { facts[index].purchaseProducts = products }
        }
        return facts
    }

    /// Returns the facts; each fact lists all products that the App Store's answer contains for the same second of the
    /// same chain of transactions.
    ///
    /// - Returns: The facts in their order.
    public func listingProductsOfChains() -> [StoreFact] {
        self.listingProducts { fact in
            fact.originalTransactionID.map { [$0, String(fact.purchasedAt.timeIntervalSince1970.rounded(.down))] }
        }
    }
}

/// The store that sold a purchase, with the name that the wallet's database uses.
///
/// A service that reports sales of other stores, such as RevenueCat, is never the store of sale. Unknown names survive
/// decoding, so that an older reader can still use the rest of a newer fact.
public struct StoreName: RawRepresentable, Codable, Hashable, Sendable {
    /// The name in JSON and in the database.
    public let rawValue: String

    /// Creates a store's name.
    /// - Parameter rawValue: The name in JSON and in the database.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple's App Store.
    public static let appStore = StoreName(rawValue: "app_store")
    /// Google Play.
    public static let playStore = StoreName(rawValue: "play_store")
}

/// The store environment of a purchase.
///
/// Only ``production`` purchases are paid with real money. A test purchase (TestFlight, App Review, license testers) is
/// ``sandbox`` and credits only the sandbox wallet.
public enum StoreEnvironment: String, Codable, Hashable, Sendable {
    /// Purchases paid with money.
    case production
    /// Purchases made with test accounts.
    case sandbox
}

extension Date {
    /// The maximum time by which a renewal may be charged before its period begins: the longest period that stores
    /// sell.
    private static let longestAdvance: TimeInterval = 400 * 86_400

    /// Returns the purchase date if it is plausible.
    /// - Parameter reportedAt: The time at which the store reported the purchase.
    /// - Returns: The date itself.
    /// - Throws: ``StoreError`` `unreadable` for a date too far in the future, which would override every later
    ///   purchase.
    func boughtBefore(_ reportedAt: Date) throws(StoreError) -> Date {
        guard self <= reportedAt.addingTimeInterval(Self.longestAdvance) else { throw StoreError(.unreadable) }
        return self
    }
}
