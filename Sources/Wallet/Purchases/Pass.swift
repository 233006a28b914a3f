public import Foundation

/// A purchase of visits, with the remaining visits and their uses.
public struct Pass: Encodable, Sendable {
    /// One use of visits.
    public struct Use: Codable, Sendable {
        /// The paid booking; `nil` for a visit that the app spent without a booking.
        @Nullable public var bookingID: UUID?
        /// The booking's class.
        @Nullable public var classID: String?
        /// The class's title.
        @Nullable public var classTitle: String?
        /// The app's reference for a visit that it spent without a booking.
        @Nullable public var reference: String?
        /// The number of visits.
        public var amount: Int64
        /// The time of the use.
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
    /// The number of granted visits.
    public var granted: Int64
    /// The number of remaining visits.
    public var remaining: Int64
    /// The time of purchase.
    public var purchasedAt: Date
    /// The time at which the remaining visits expire; `nil` for never.
    @Nullable public var expiresAt: Date?
    /// A Boolean value that indicates whether visits of the pass can still be spent.
    public var isActive: Bool
    /// The uses that were not returned, newest first.
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

/// The state of a pass after a visit was spent.
public struct PassUse: Encodable, Sendable, Equatable {
    /// A Boolean value that indicates whether no visits remain.
    public var isConsumed: Bool
    /// The number of remaining visits.
    public var remaining: Int64
    /// A Boolean value that indicates whether the reference had been used before, so that this call spent nothing.
    public var replayed: Bool

    enum CodingKeys: String, CodingKey {
        case isConsumed = "is_consumed"
        case remaining
    }
}
