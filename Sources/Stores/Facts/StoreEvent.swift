public import Foundation

/// One message of a store, verified and read: what it says of purchases, and of whom.
///
/// It holds no name, address or attribute of a person, only what the books need; the inbox keeps it until it has been
/// applied.
public struct StoreEvent: Codable, Hashable, Sendable {
    /// Who sent a message.
    public enum Source: String, Codable, Hashable, Sendable {
        /// App Store Server Notifications V2.
        case appStore = "app_store"
        /// RevenueCat's webhooks.
        case revenueCat = "revenuecat"
        /// Google Play's real-time developer notifications.
        case googlePlay = "google_play"
    }

    /// A fact about one purchase, with the owners to whom the message attributes it.
    public struct AttributedFact: Codable, Hashable, Sendable {
        /// The purchase as the message describes it.
        public var fact: StoreFact
        /// The user ids under which the sender knows the owner, the likeliest first; empty where it knows none.
        public var owners: [String]
        /// The wallet took somebody out who deleted their account; nobody is waited for then.
        public var forgotten: Bool?

        /// Creates an attributed fact.
        /// - Parameters:
        ///   - fact: the purchase as the message describes it.
        ///   - owners: the user ids under which the sender knows the owner, the likeliest first.
        public init(fact: StoreFact, owners: [String] = []) {
            self.fact = fact
            self.owners = owners
        }
    }

    /// A store's decision that one customer's subscriptions are another's from now on.
    public struct Transfer: Codable, Hashable, Sendable {
        /// The side of the store; nil where the store does not say, which means both.
        public var environment: StoreEnvironment?
        /// The user ids that lose the subscriptions.
        public var from: [String]
        /// The user ids that get them, all of one customer.
        public var to: [String]
        /// When, as RFC 3339 text in UTC.
        public var at: String
        /// The wallet took somebody out who deleted their account; nobody is waited for then.
        public var forgotten: Bool?

        /// Creates a transfer.
        /// - Parameters:
        ///   - environment: the side of the store, nil for both.
        ///   - from: the user ids that lose the subscriptions.
        ///   - to: the user ids that get them.
        ///   - at: when.
        public init(environment: StoreEnvironment?, from: [String], to: [String], at: Date) {
            self.environment = environment
            self.from = from
            self.to = to
            self.at = at.storeInstant
        }
    }

    /// A purchase that the message names without describing it, or not wholly: it must be looked up at the store.
    public struct Lookup: Codable, Hashable, Sendable {
        /// Which answer of the store describes the purchase.
        public enum Kind: String, Codable, Hashable, Sendable {
            /// A product bought once.
            case product
            /// A subscription.
            case subscription
            /// The end of a period that the message describes otherwise; the transaction's id stands for the token.
            case period
        }

        /// Which answer of the store describes the purchase.
        public var kind: Kind
        /// The store's name of the product, where the message gives it.
        public var productID: String?
        /// The token of the purchase.
        public var purchaseToken: String
        /// The order, where the message gives it.
        public var orderID: String?
        /// The message says that the whole purchase was voided.
        public var isVoided: Bool
        /// When the message was sent, as RFC 3339 text in UTC.
        public var at: String
        /// What kind of change it was.
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
        ///   - kind: which answer describes the purchase.
        ///   - productID: the store's name of the product, if known.
        ///   - purchaseToken: the token of the purchase.
        ///   - orderID: the order, if known.
        ///   - isVoided: whether the message says that the whole purchase was voided.
        ///   - at: when the message was sent.
        ///   - occasion: what kind of change it was.
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

    /// A refund that Google Play reviews, and about which it asks within a day what was used.
    public struct RefundReview: Codable, Hashable, Sendable {
        /// Google Play's name of the review, which goes back with the answer.
        public var token: String
        /// The order that may be refunded.
        public var orderID: String

        private enum CodingKeys: String, CodingKey {
            case token
            case orderID = "order_id"
        }

        /// Creates a review.
        /// - Parameters:
        ///   - token: Google Play's name of the review.
        ///   - orderID: The order that may be refunded.
        public init(token: String, orderID: String) {
            self.token = token
            self.orderID = orderID
        }
    }

    /// Who sent it.
    public var source: Source
    /// The sender's own id of the message, the same at every delivery.
    public var id: String
    /// The sender's name of the type, a subtype after a dot, such as `DID_RENEW.BILLING_RECOVERY`.
    public var type: String
    /// The facts that it reports of purchases.
    public var statements: [AttributedFact]
    /// The subscriptions that it moves from one customer to another.
    public var transfer: Transfer?
    /// What must be looked up at the store before the message can be applied.
    public var question: Lookup?
    /// The transaction about whose use the App Store asks before it decides on a refund.
    public var consumptionRequest: String?
    /// The refund that Google Play reviews.
    public var refundReview: RefundReview?
    /// Why there is nothing to apply, for messages that say nothing of purchases.
    public var ignored: String?
    /// A part of the message could not be read, so that it must be kept as it came too.
    ///
    /// It stands in no stored event: the message as it came does instead.
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

    /// Creates an event that says nothing yet.
    /// - Parameters:
    ///   - source: who sent it.
    ///   - id: the sender's own id of the message.
    ///   - type: the sender's name of the type.
    ///   - statements: the facts that it reports of purchases.
    public init(source: Source, id: String, type: String, statements: [AttributedFact] = []) {
        self.source = source
        self.id = id
        self.type = type
        self.statements = statements
    }
}
