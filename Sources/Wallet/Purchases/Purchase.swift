public import Foundation

/// A store transaction of an account and what became of its grant.
public struct Purchase: Encodable, Sendable {
    /// What the purchase paid for, wholly or in part.
    public struct Use: Codable, Sendable {
        /// The booking; nil for a visit that the app spent by itself.
        @Nullable public var bookingID: UUID?
        /// The booking's class.
        @Nullable public var classID: String?
        /// What the app named when it spent the visit by itself.
        @Nullable public var reference: String?
        /// How much of the purchase it holds.
        public var amount: Int64
        /// When it was spent.
        public var usedAt: Date

        enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
            case classID = "class_id"
            case reference, amount
            case usedAt = "used_at"
        }
    }

    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id; the store's where the catalogue has none.
    public var productID: String
    /// The store that sold it.
    public var store: String
    /// `granted`, `consumed`, `partly_consumed`, `refunded`, or why nothing was granted.
    public var status: String
    /// Whether nothing of it is left.
    public var isConsumed: Bool
    /// What it granted in; nil when nothing was granted.
    @Nullable public var unit: CreditUnit?
    /// How much it granted.
    public var granted: Int64
    /// How much of that is left.
    public var remaining: Int64
    /// When it was bought.
    public var purchasedAt: Date
    /// What it pays for.
    public var usedBy: [Use]

    enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case store, status
        case isConsumed = "is_consumed"
        case unit, granted, remaining
        case purchasedAt = "purchased_at"
        case usedBy = "used_by"
    }
}
