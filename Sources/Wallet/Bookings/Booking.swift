public import Foundation

/// What a client asks to book.
///
/// It names no amount: the price comes from the class.
public struct NewBooking: Decodable, Sendable, Equatable {
    /// The class.
    public var classID: String
    /// How many seats, 1 to 100; 1 unless said.
    public var seats: Int
    /// `unlimited`, `visits`, `credits` or a lot id; nil lets the wallet choose in that order.
    public var payWith: String?
    /// The most that the booking may cost in its unit; a higher price is refused as `price-changed`.
    public var maxAmount: Int64?

    /// Makes a request for a booking.
    public init(classID: String, seats: Int = 1, payWith: String? = nil, maxAmount: Int64? = nil) {
        self.classID = classID
        self.seats = seats
        self.payWith = payWith
        self.maxAmount = maxAmount
    }

    /// Reads a request, with one seat where none is said.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` for members of the wrong type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.classID = try container.decode(String.self, forKey: .classID)
        self.seats = try container.decodeIfPresent(Int.self, forKey: .seats) ?? 1
        self.payWith = try container.decodeIfPresent(String.self, forKey: .payWith)
        self.maxAmount = try container.decodeIfPresent(Int64.self, forKey: .maxAmount)
    }

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case seats
        case payWith = "pay_with"
        case maxAmount = "max_amount"
    }
}

/// How much one lot paid of a booking.
public struct LotSlice: Codable, Sendable, Equatable {
    /// The lot.
    @WireUUID public var lotID: UUID
    /// How much it paid.
    public var amount: Int64

    enum CodingKeys: String, CodingKey {
        case lotID = "lot_id"
        case amount
    }
}

/// A booking in its present state.
public struct Booking: Encodable, Sendable {
    /// The policy that was in force when it was made, and what it means for this booking.
    public struct Cancellation: Encodable, Sendable {
        /// Until when cancelling returns everything: the start itself once the class was moved.
        public var freeUntil: Date
        /// Minutes before the start until which cancelling is free.
        public var freeMinutesBefore: Int

        enum CodingKeys: String, CodingKey {
            case freeUntil = "free_until"
            case freeMinutesBefore = "free_minutes_before"
        }
    }

    /// What a cancellation gave back.
    public struct Returned: Encodable, Sendable, Equatable {
        /// What was given back; nil for a booking that an unlimited plan covered.
        @Nullable public var unit: CreditUnit?
        /// How much was given back.
        public var amount: Int64

        /// Compares unit and amount.
        public static func == (left: Self, right: Self) -> Bool {
            left.unit == right.unit && left.amount == right.amount
        }
    }

    /// The booking's id, ordered by time.
    @WireUUID public var bookingID: UUID
    /// The class that it is for.
    public var classID: String
    /// That class's name.
    public var classTitle: String
    /// When that class begins.
    public var startsAt: Date
    /// `booked` or `cancelled`.
    public var status: String
    /// How many seats it takes.
    public var seats: Int
    /// What it was paid in; nil when an unlimited plan covers it.
    @Nullable public var unit: CreditUnit?
    /// What it cost in all.
    public var amount: Int64
    /// Which lots paid, in the order in which they were burnt.
    public var slices: [LotSlice]
    /// A short code to show at the door.
    public var confirmationCode: String
    /// The policy that it may be cancelled by.
    public var cancellation: Cancellation
    /// When it was made.
    public var createdAt: Date
    /// When it was cancelled.
    @Nullable public var cancelledAt: Date?
    /// Whether it was cancelled too late for anything to return.
    public var lateCancel: Bool
    /// Who cancelled it: `user`, `studio` or `wallet`; nil while it stands.
    @Nullable public var cancelledBy: String?
    /// What its cancellation gave back; nil while it stands.
    @Nullable public var returned: Returned?
    /// Whether the class was moved to another time since; it is then free to cancel until the new start.
    public var moved: Bool
    /// Whether the seats came from the waitlist.
    public var fromWaitlist: Bool

    enum CodingKeys: String, CodingKey {
        case bookingID = "booking_id"
        case classID = "class_id"
        case classTitle = "class_title"
        case startsAt = "starts_at"
        case status, seats, unit, amount, slices
        case confirmationCode = "confirmation_code"
        case cancellation
        case createdAt = "created_at"
        case cancelledAt = "cancelled_at"
        case lateCancel = "late_cancel"
        case cancelledBy = "cancelled_by"
        case returned, moved
        case fromWaitlist = "from_waitlist"
    }
}

/// A booking together with the balance after it.
public struct BookingReceipt: Encodable, Sendable {
    /// The booking in its present state.
    public var booking: Booking
    /// The wallet's present balance.
    public var balance: BalanceSummary
    /// Whether this answers a key that was used before; nothing was done this time.
    public var replayed: Bool

    enum CodingKeys: String, CodingKey {
        case booking, balance
    }
}

/// What booking would do, had it been done.
public struct BookingQuote: Encodable, Sendable {
    /// Always true: a refusal is thrown instead.
    public var payable: Bool
    /// What it would be paid in; nil when an unlimited plan covers it.
    @Nullable public var unit: CreditUnit?
    /// What it would cost in all.
    public var amount: Int64
    /// Which lots would pay.
    public var lots: [LotSlice]
    /// What the wallet would hold afterwards.
    public var balanceAfter: BalanceSummary

    enum CodingKeys: String, CodingKey {
        case payable, unit, amount, lots
        case balanceAfter = "balance_after"
    }
}

/// Picks bookings for a list.
public enum BookingFilter: String, Sendable {
    /// Standing bookings of classes that have not begun.
    case upcoming
    /// Standing bookings of classes that have begun.
    case past
    /// Cancelled bookings.
    case cancelled
}
