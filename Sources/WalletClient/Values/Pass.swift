public import Foundation

/// A purchase of visits: what is left of it and what it was used for.
public struct Pass: Decodable, Sendable, Equatable {
    /// One thing that visits were used for.
    public struct Use: Decodable, Sendable, Equatable {
        /// The booking that was paid; nil for a visit that the app spent by itself.
        public let bookingID: UUID?
        /// The booking's class.
        public let classID: String?
        /// The class's title.
        public let classTitle: String?
        /// What the app named when it spent the visit by itself.
        public let reference: String?
        /// How many visits.
        public let amount: Int64
        /// When they were spent.
        public let usedAt: Date

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
    public let transactionID: String
    /// The catalogue's product id.
    public let productID: String
    /// The name to show.
    public let name: String
    /// How many visits it granted.
    public let granted: Int64
    /// How many are left to spend.
    public let remaining: Int64
    /// When it was bought.
    public let purchasedAt: Date
    /// When what is left lapses; nil for never.
    public let expiresAt: Date?
    /// Whether it can still be spent from.
    public let isActive: Bool
    /// What it was used for and not given back, newest first.
    public let history: [Use]

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

/// What is left of a pass after a visit was spent.
public struct PassUse: Decodable, Sendable, Equatable {
    /// Whether nothing is left.
    public let isConsumed: Bool
    /// How many visits are left.
    public let remaining: Int64

    private enum CodingKeys: String, CodingKey {
        case isConsumed = "is_consumed"
        case remaining
    }
}
