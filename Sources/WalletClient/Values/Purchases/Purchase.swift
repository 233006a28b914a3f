public import Foundation

/// A store transaction of the user and the status of its grant.
public struct Purchase: Codable, Sendable, Hashable, Identifiable {
    /// A booking or visit that the purchase paid for, in whole or in part.
    public struct Use: Codable, Sendable, Hashable {
        /// The booking's id; nil for a visit that the app spent without a booking.
        public var bookingID: UUID?
        /// The id of the booked class.
        public var classID: String?
        /// The reference that the app sent with a visit without a booking.
        public var reference: String?
        /// The amount that came from this purchase.
        public var amount: Int64
        /// The instant at which it was spent.
        public var usedAt: Date

        /// Creates a value with the given properties, for previews and tests.
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
    /// The catalogue's product id; the store's product id if the catalogue has no such product.
    public var productID: String
    /// The store that sold it.
    public var store: StoreName
    /// `granted`, `consumed`, `partly_consumed`, `refunded`, or the reason why nothing was granted.
    public var status: PurchaseStatus
    /// A Boolean value that indicates whether no part of the grant is left.
    public var isConsumed: Bool
    /// Credits or visits, for a bundle those of its first lot; nil if the purchase granted nothing.
    public var unit: BalanceUnit?
    /// The amount that the purchase granted; for a bundle, that of its first lot.
    public var granted: Int64
    /// The amount that is left of it.
    public var remaining: Int64
    /// All lots that the purchase granted, the first one included.
    public var lots: [PurchaseLot]
    /// The instant of the purchase, or the start of a subscription's period.
    public var purchasedAt: Date
    /// The bookings and visits that the purchase paid for.
    public var usedBy: [Use]

    /// The identity in a list, ``transactionID``.
    public var id: String { self.transactionID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        transactionID: String,
        productID: String,
        store: StoreName,
        status: PurchaseStatus,
        isConsumed: Bool,
        unit: BalanceUnit?,
        granted: Int64,
        remaining: Int64,
        lots: [PurchaseLot] = [],
        purchasedAt: Date,
        usedBy: [Use] = []
    ) {
        self.transactionID = transactionID
        self.productID = productID
        self.store = store
        self.status = status
        self.isConsumed = isConsumed
        self.unit = unit
        self.granted = granted
        self.remaining = remaining
        self.lots = lots
        self.purchasedAt = purchasedAt
        self.usedBy = usedBy
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case store
        case status
        case isConsumed = "is_consumed"
        case unit
        case granted
        case remaining
        case lots
        case purchasedAt = "purchased_at"
        case usedBy = "used_by"
    }
}
