public import Foundation

/// A store transaction of the user and what became of its grant.
public struct Purchase: Decodable, Sendable, Equatable {
    /// What the purchase paid for, wholly or in part.
    public struct Use: Decodable, Sendable, Equatable {
        /// The booking; nil for a visit that the app spent by itself.
        public let bookingID: UUID?
        /// The booking's class.
        public let classID: String?
        /// What the app named when it spent the visit by itself.
        public let reference: String?
        /// How much of the purchase it holds.
        public let amount: Int64
        /// When it was spent.
        public let usedAt: Date

        private enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
            case classID = "class_id"
            case reference
            case amount
            case usedAt = "used_at"
        }
    }

    /// The store's transaction id.
    public let transactionID: String
    /// The catalogue's product id; the store's where the catalogue has none.
    public let productID: String
    /// `granted`, `consumed`, `partly_consumed`, `refunded`, or why nothing was granted.
    public let status: String
    /// Whether nothing of it is left.
    public let isConsumed: Bool
    /// How much it granted.
    public let granted: Int64
    /// How much of that is left.
    public let remaining: Int64
    /// What it pays for.
    public let usedBy: [Use]

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
