public import Foundation

/// A store transaction of an account and the state of its grant.
public struct Purchase: Encodable, Sendable {
    /// A booking or visit that the purchase paid for, wholly or in part.
    public struct Use: Codable, Sendable {
        /// The booking; `nil` for a visit that the app spent without a booking.
        @Nullable public var bookingID: UUID?
        /// The booking's class.
        @Nullable public var classID: String?
        /// The app's reference for a visit that it spent without a booking.
        @Nullable public var reference: String?
        /// The amount of the purchase that paid for this use.
        public var amount: Int64
        /// The time of the use.
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
    /// The catalogue's product id, or the store's product id if the catalogue does not have the product.
    public var productID: String
    /// The store that sold it.
    public var store: String
    /// `granted`, `consumed`, `partly_consumed`, `refunded`, or the reason why nothing was granted.
    public var status: String
    /// A Boolean value that indicates whether nothing remains of the grant.
    public var isConsumed: Bool
    /// The unit of the grant; `nil` if nothing was granted.
    @Nullable public var unit: CreditUnit?
    /// The granted amount.
    public var granted: Int64
    /// The remaining amount.
    public var remaining: Int64
    /// The time of purchase.
    public var purchasedAt: Date
    /// The bookings and visits that the purchase pays for.
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
