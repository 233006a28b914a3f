public import Foundation

/// A store transaction of the user and what became of its grant.
public struct Purchase: Codable, Sendable, Hashable, Identifiable {
    /// What the purchase paid for, wholly or in part.
    public struct Use: Codable, Sendable, Hashable {
        /// The booking; nil for a visit that the app spent by itself.
        public var bookingID: UUID?
        /// The booking's class.
        public var classID: String?
        /// What the app named when it spent the visit by itself.
        public var reference: String?
        /// How much of the purchase it holds.
        public var amount: Int64
        /// When it was spent.
        public var usedAt: Date

        /// Creates a value of the given properties, for previews and tests.
        public init(
            bookingID: UUID? = nil,
            classID: String? = nil,
            reference: String? = nil,
            amount: Int64,
            usedAt: Date
        ) {
            self.bookingID = bookingID
            self.classID = classID
            self.reference = reference
            self.amount = amount
            self.usedAt = usedAt
        }

        private enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
            case classID = "class_id"
            case reference
            case amount
            case usedAt = "used_at"
        }
    }

    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id; the store's where the catalogue has none.
    public var productID: String
    /// `granted`, `consumed`, `partly_consumed`, `refunded`, or why nothing was granted.
    public var status: PurchaseStatus
    /// Whether nothing of it is left.
    public var isConsumed: Bool
    /// How much it granted.
    public var granted: Int64
    /// How much of that is left.
    public var remaining: Int64
    /// What it pays for.
    public var usedBy: [Use]

    /// The identity in a list, ``transactionID``.
    public var id: String { self.transactionID }

    /// Creates a value of the given properties, for previews and tests.
    public init(
        transactionID: String,
        productID: String,
        status: PurchaseStatus,
        isConsumed: Bool,
        granted: Int64,
        remaining: Int64,
        usedBy: [Use] = []
    ) {
        self.transactionID = transactionID
        self.productID = productID
        self.status = status
        self.isConsumed = isConsumed
        self.granted = granted
        self.remaining = remaining
        self.usedBy = usedBy
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case status
        case isConsumed = "is_consumed"
        case granted
        case remaining
        case usedBy = "used_by"
    }
}
