public import Foundation

/// A purchase of visits: what is left of it and what it was used for.
public struct Pass: Encodable, Sendable {
    /// One thing that visits were used for.
    public struct Use: Codable, Sendable {
        /// The booking that was paid; nil for a visit that the app spent by itself.
        @Nullable public var bookingID: UUID?
        /// The booking's class.
        @Nullable public var classID: String?
        /// The class's title.
        @Nullable public var classTitle: String?
        /// What the app named when it spent the visit by itself.
        @Nullable public var reference: String?
        /// How many visits.
        public var amount: Int64
        /// When they were spent.
        public var usedAt: Date

        enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
            case classID = "class_id"
            case classTitle = "class_title"
            case reference, amount
            case usedAt = "used_at"
        }
    }

    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id.
    public var productID: String
    /// The product's name.
    public var name: String
    /// How many visits it granted.
    public var granted: Int64
    /// How many are left to spend.
    public var remaining: Int64
    /// When it was bought.
    public var purchasedAt: Date
    /// When what is left lapses; nil for never.
    @Nullable public var expiresAt: Date?
    /// Whether it can still be spent from.
    public var isActive: Bool
    /// What it was used for and not given back, newest first.
    public var history: [Use]

    enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case name, granted, remaining
        case purchasedAt = "purchased_at"
        case expiresAt = "expires_at"
        case isActive = "is_active"
        case history
    }
}

/// Returns what is left of a pass after a visit was spent.
public struct PassUse: Encodable, Sendable, Equatable {
    /// Whether nothing is left.
    public var isConsumed: Bool
    /// How many visits are left.
    public var remaining: Int64
    /// Whether this reference had been used before, so that nothing was spent this time.
    public var replayed: Bool

    enum CodingKeys: String, CodingKey {
        case isConsumed = "is_consumed"
        case remaining
    }
}
