import Foundation

/// One wish to book, with the key that makes it happen at most once.
///
/// Keep it until the outcome is known, also over a restart of the app: sent again, it answers the first booking
/// instead of making a second one. A new wish needs a new intent.
public struct BookingIntent: Codable, Sendable, Hashable {
    /// The class to book.
    public let classID: String
    /// How many seats.
    public let seats: Int
    /// what to pay with; nil lets the wallet choose.
    public let payWith: PaymentMethod?
    /// The most that it may cost; a price above it is refused with `price-changed`.
    public let maxAmount: Int64?
    /// The key that every attempt carries.
    public let idempotencyKey: String

    /// Creates a wish.
    /// - Parameters:
    ///   - classID: the class to book.
    ///   - seats: how many seats.
    ///   - payWith: what to pay with; nil lets the wallet choose.
    ///   - maxAmount: the most that it may cost.
    ///   - idempotencyKey: the key that every attempt carries; made up once when none is given.
    public init(
        classID: String,
        seats: Int = 1,
        payWith: PaymentMethod? = nil,
        maxAmount: Int64? = nil,
        idempotencyKey: String? = nil
    ) {
        self.classID = classID
        self.seats = seats
        self.payWith = payWith
        self.maxAmount = maxAmount
        self.idempotencyKey = idempotencyKey ?? UUID().uuidString.lowercased()
    }

    /// The request's body; the key travels in a header.
    struct Body: Encodable {
        let classID: String
        let seats: Int
        let payWith: PaymentMethod?
        let maxAmount: Int64?

        init(_ intent: BookingIntent) {
            self.classID = intent.classID
            self.seats = intent.seats
            self.payWith = intent.payWith
            self.maxAmount = intent.maxAmount
        }

        private enum CodingKeys: String, CodingKey {
            case classID = "class_id"
            case seats
            case payWith = "pay_with"
            case maxAmount = "max_amount"
        }
    }
}
