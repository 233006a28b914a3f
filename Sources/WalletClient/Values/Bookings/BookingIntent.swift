import Foundation

/// A booking to make, with the idempotency key that ensures it is made at most once.
///
/// Keep the intent until the outcome is known, also across launches of the app. Sending it again returns the first
/// booking instead of making a second one. Create a new intent for each new booking.
public struct BookingIntent: Codable, Sendable, Hashable {
    /// The class to book.
    public let classID: String
    /// The number of seats.
    public let seats: Int
    /// The payment method; nil lets the wallet choose.
    public let payWith: PaymentMethod?
    /// The highest acceptable price for all seats; the wallet refuses a higher price with `price-changed`.
    public let maxAmount: Int64?
    /// The idempotency key, which every attempt sends.
    public let idempotencyKey: String

    /// Creates an intent.
    /// - Parameters:
    ///   - classID: The class to book.
    ///   - seats: The number of seats.
    ///   - payWith: The payment method; nil lets the wallet choose.
    ///   - maxAmount: The highest acceptable price for all seats; nil for no limit.
    ///   - idempotencyKey: The key that every attempt sends; nil creates a new key.
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

    /// The request body; a header sends the key.
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
