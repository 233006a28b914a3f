public import Foundation

/// A verified and parsed message of a store: its facts about purchases and their owners.
///
/// It contains no names, addresses or other personal attributes, only the data that the ledger needs. The inbox keeps
/// it until it has been applied.
public struct StoreEvent: Codable, Hashable, Sendable {
    /// The sender of a message.
    public enum Source: String, Codable, Hashable, Sendable {
        /// App Store Server Notifications V2.
        case appStore = "app_store"
        /// RevenueCat's webhooks.
        case revenueCat = "revenuecat"
        /// Google Play's real-time developer notifications.
        case googlePlay = "google_play"
    }

    /// A fact about one purchase and the owners to which the message attributes it.
    public struct AttributedFact: Codable, Hashable, Sendable {
        /// The purchase as the message describes it.
        public var fact: StoreFact
        /// The owner's possible user ids at the sender, the most likely first; empty if the sender has none.
        public var owners: [String]
        /// `true` if the wallet removed a user id because the account was deleted; the message then does not wait for
        /// an owner.
        public var forgotten: Bool?

        /// Creates an attributed fact.
        /// - Parameters:
        ///   - fact: The purchase as the message describes it.
        ///   - owners: The owner's possible user ids at the sender, the most likely first.
        public init(fact: StoreFact, owners: [String] = []) {
            self.fact = fact
            self.owners = owners
        }
    }

    /// A store's decision to transfer the subscriptions of one customer to another.
    public struct Transfer: Codable, Hashable, Sendable {
        /// The store environment; nil if the store does not specify it, which means both.
        public var environment: StoreEnvironment?
        /// The user ids that lose the subscriptions.
        public var from: [String]
        /// The user ids that receive the subscriptions, all of one customer.
        public var to: [String]
        /// The time of the transfer, as RFC 3339 text in UTC.
        public var at: String
        /// `true` if the wallet removed a user id because the account was deleted; the message then does not wait for
        /// an owner.
        public var forgotten: Bool?

        /// Creates a transfer.
        /// - Parameters:
        ///   - environment: The store environment, nil for both.
        ///   - from: The user ids that lose the subscriptions.
        ///   - to: The user ids that receive the subscriptions.
        ///   - at: The time of the transfer.
        public init(environment: StoreEnvironment?, from: [String], to: [String], at: Date) {
            self.environment = environment
            self.from = from
            self.to = to
            self.at = at.storeInstant
        }
    }

    /// A purchase that the message does not describe completely: the wallet must look it up at the store.
    public struct Lookup: Codable, Hashable, Sendable {
        /// The kind of store request that returns the purchase.
        public enum Kind: String, Codable, Hashable, Sendable {
            /// A one-time product.
            case product
            /// A subscription.
            case subscription
            /// The end of a period that the message describes otherwise; the transaction id is stored as the token.
            case period
        }

        /// The kind of store request that returns the purchase.
        public var kind: Kind
        /// The store's id of the product, if the message contains it.
        public var productID: String?
        /// The token of the purchase.
        public var purchaseToken: String
        /// The order id, if the message contains it.
        public var orderID: String?
        /// A Boolean value that indicates whether the message reports the whole purchase as voided.
        public var isVoided: Bool
        /// The time at which the message was sent, as RFC 3339 text in UTC.
        public var at: String
        /// The kind of change that the message reports.
        public var occasion: StoreFact.Occasion?

        private enum CodingKeys: String, CodingKey {
            case kind
            case productID = "product_id"
            case purchaseToken = "purchase_token"
            case orderID = "order_id"
            case isVoided = "is_voided"
            case at
            case occasion
        }

        /// Creates a lookup.
        /// - Parameters:
        ///   - kind: The kind of store request that returns the purchase.
        ///   - productID: The store's id of the product, if known.
        ///   - purchaseToken: The token of the purchase.
        ///   - orderID: The order id, if known.
        ///   - isVoided: `true` if the message reports the whole purchase as voided.
        ///   - at: The time at which the message was sent.
        ///   - occasion: The kind of change that the message reports.
        public init(
            kind: Kind,
            productID: String? = nil,
            purchaseToken: String,
            orderID: String? = nil,
            isVoided: Bool = false,
            at: Date,
            occasion: StoreFact.Occasion? = nil
        ) {
            self.kind = kind
            self.productID = productID
            self.purchaseToken = purchaseToken
            self.orderID = orderID
            self.isVoided = isVoided
            self.at = at.storeInstant
            self.occasion = occasion
        }
    }

    /// A refund that Google Play reviews; the consumption must be reported to it within a day.
    public struct RefundReview: Codable, Hashable, Sendable {
        /// Google Play's token of the review, which the report must contain.
        public var token: String
        /// The order that may be refunded.
        public var orderID: String

        private enum CodingKeys: String, CodingKey {
            case token
            case orderID = "order_id"
        }

        /// Creates a review.
        /// - Parameters:
        ///   - token: Google Play's token of the review.
        ///   - orderID: The order that may be refunded.
        public init(token: String, orderID: String) {
            self.token = token
            self.orderID = orderID
        }
    }

    /// The sender of the message.
    public var source: Source
    /// The sender's id of the message, the same for every delivery.
    public var id: String
    /// The sender's type of the message, with a subtype after a dot, such as `DID_RENEW.BILLING_RECOVERY`.
    public var type: String
    /// The facts about purchases that the message reports.
    public var statements: [AttributedFact]
    /// The transfer of subscriptions from one customer to another.
    public var transfer: Transfer?
    /// The purchase that must be looked up at the store before the message can be applied.
    public var question: Lookup?
    /// The transaction whose consumption the App Store requests before it decides on a refund.
    public var consumptionRequest: String?
    /// The refund that Google Play reviews.
    public var refundReview: RefundReview?
    /// The reason why there is nothing to apply, for messages that do not concern purchases.
    public var ignored: String?
    /// A Boolean value that indicates whether a part of the message could not be read, so that the original message
    /// must be kept too.
    ///
    /// The flag is not encoded; the stored original message replaces it.
    public var isPartlyUnreadable = false

    private enum CodingKeys: String, CodingKey {
        case source
        case id
        case type
        case statements
        case transfer
        case question
        case consumptionRequest = "consumption_request"
        case refundReview = "refund_review"
        case ignored
    }

    /// Creates an event without a transfer, lookup or review.
    /// - Parameters:
    ///   - source: The sender of the message.
    ///   - id: The sender's id of the message.
    ///   - type: The sender's type of the message.
    ///   - statements: The facts about purchases that the message reports.
    public init(source: Source, id: String, type: String, statements: [AttributedFact] = []) {
        self.source = source
        self.id = id
        self.type = type
        self.statements = statements
    }
}
