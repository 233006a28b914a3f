public import Foundation

/// A purchase of visits: what is left of it and what it was used for.
public struct Pass: Codable, Sendable, Hashable, Identifiable {
    /// One thing that visits were used for.
    public struct Use: Codable, Sendable, Hashable {
        /// The booking that was paid; nil for a visit that the app spent by itself.
        public var bookingID: UUID?
        /// The booking's class.
        public var classID: String?
        /// The class's title.
        public var classTitle: String?
        /// What the app named when it spent the visit by itself.
        public var reference: String?
        /// How many visits.
        public var amount: Int64
        /// When they were spent.
        public var usedAt: Date

        /// Creates a value of the given properties, for previews and tests.
        public init(
            bookingID: UUID? = nil,
            classID: String? = nil,
            classTitle: String? = nil,
            reference: String? = nil,
            amount: Int64,
            usedAt: Date
        ) {
            self.bookingID = bookingID
            self.classID = classID
            self.classTitle = classTitle
            self.reference = reference
            self.amount = amount
            self.usedAt = usedAt
        }

        private enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
            case classID = "class_id"
            case classTitle = "class_title"
            case reference
            case amount
            case usedAt = "used_at"
        }
    }

    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id.
    public var productID: String
    /// The name to show.
    public var name: String
    /// How many visits it granted.
    public var granted: Int64
    /// How many are left to spend.
    public var remaining: Int64
    /// When it was bought.
    public var purchasedAt: Date
    /// When what is left lapses; nil for never.
    public var expiresAt: Date?
    /// Whether it can still be spent from.
    public var isActive: Bool
    /// What it was used for and not given back, newest first.
    public var history: [Use]

    /// The identity in a list, ``transactionID``.
    public var id: String { self.transactionID }

    /// Creates a value of the given properties, for previews and tests.
    public init(
        transactionID: String,
        productID: String,
        name: String,
        granted: Int64,
        remaining: Int64,
        purchasedAt: Date,
        expiresAt: Date? = nil,
        isActive: Bool,
        history: [Use] = []
    ) {
        self.transactionID = transactionID
        self.productID = productID
        self.name = name
        self.granted = granted
        self.remaining = remaining
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        self.isActive = isActive
        self.history = history
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case name
        case granted
        case remaining
        case purchasedAt = "purchased_at"
        case expiresAt = "expires_at"
        case isActive = "is_active"
        case history
    }
}
