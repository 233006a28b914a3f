public import Foundation

/// A purchase of visits, with the remaining visits and the uses.
public struct Pass: Codable, Sendable, Hashable, Identifiable {
    /// A use of one or more visits.
    public struct Use: Codable, Sendable, Hashable {
        /// The id of the booking that the visits paid for; nil for a visit that the app spent without a booking.
        public var bookingID: UUID?
        /// The id of the booked class.
        public var classID: String?
        /// The title of the booked class.
        public var classTitle: String?
        /// The reference that the app sent with a visit without a booking.
        public var reference: String?
        /// The number of visits.
        public var amount: Int64
        /// The instant at which the visits were spent.
        public var usedAt: Date

        /// Creates a value with the given properties, for previews and tests.
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

    /// The id of the lot that holds the visits.
    public var lotID: UUID
    /// The store's transaction id; a bundle may have several passes.
    public var transactionID: String
    /// The catalogue's product id.
    public var productID: String
    /// The name to show.
    public var name: String
    /// The number of visits that the purchase granted.
    public var granted: Int64
    /// The number of visits left.
    public var remaining: Int64
    /// The instant of the purchase.
    public var purchasedAt: Date
    /// The instant at which the remaining visits expire; nil if they never expire.
    public var expiresAt: Date?
    /// The instant at which the validity started, or the latest start until the first use; nil if the purchase started
    /// it.
    public var startsAt: Date?
    /// A Boolean value that indicates whether visits of the pass can be spent now.
    public var isActive: Bool
    /// The uses whose visits were not returned, newest first.
    public var history: [Use]

    /// The identity in a list, ``lotID``.
    public var id: UUID { self.lotID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        lotID: UUID,
        transactionID: String,
        productID: String,
        name: String,
        granted: Int64,
        remaining: Int64,
        purchasedAt: Date,
        expiresAt: Date? = nil,
        startsAt: Date? = nil,
        isActive: Bool,
        history: [Use] = []
    ) {
        self.lotID = lotID
        self.transactionID = transactionID
        self.productID = productID
        self.name = name
        self.granted = granted
        self.remaining = remaining
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        self.startsAt = startsAt
        self.isActive = isActive
        self.history = history
    }

    private enum CodingKeys: String, CodingKey {
        case lotID = "lot_id"
        case transactionID = "transaction_id"
        case productID = "product_id"
        case name
        case granted
        case remaining
        case purchasedAt = "purchased_at"
        case expiresAt = "expires_at"
        case startsAt = "starts_at"
        case isActive = "is_active"
        case history
    }
}
