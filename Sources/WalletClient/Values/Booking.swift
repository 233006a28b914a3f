public import Foundation

/// A booking in its present state.
public struct Booking: Decodable, Sendable, Equatable {
    /// How much one lot paid.
    public struct Slice: Decodable, Sendable, Equatable {
        /// The lot.
        public let lotID: UUID
        /// How much it paid.
        public let amount: Int64

        private enum CodingKeys: String, CodingKey {
            case lotID = "lot_id"
            case amount
        }
    }

    /// The policy that it may be cancelled by.
    public struct Cancellation: Decodable, Sendable, Equatable {
        /// Until when cancelling returns everything: the start itself once the class was moved.
        public let freeUntil: Date

        private enum CodingKeys: String, CodingKey {
            case freeUntil = "free_until"
        }
    }

    /// What a cancellation gave back.
    public struct Returned: Decodable, Sendable, Equatable {
        /// `credit` or `visit`; nil for a booking that an unlimited plan covered.
        public let unit: String?
        /// How much was given back.
        public let amount: Int64
    }

    /// The booking's id.
    public let bookingID: UUID
    /// The class that it is for.
    public let classID: String
    /// That class's name.
    public let classTitle: String
    /// When that class begins.
    public let startsAt: Date
    /// `booked` or `cancelled`.
    public let status: String
    /// How many seats it takes.
    public let seats: Int
    /// What it was paid in, `credit` or `visit`; nil where an unlimited plan covers it.
    public let unit: String?
    /// What it cost in all.
    public let amount: Int64
    /// Which lots paid, in the order in which they were burnt.
    public let slices: [Slice]
    /// A short code to show at the door.
    public let confirmationCode: String
    /// The policy that it may be cancelled by.
    public let cancellation: Cancellation
    /// When it was made.
    public let createdAt: Date
    /// When it was cancelled; nil while it stands.
    public let cancelledAt: Date?
    /// Whether it was cancelled too late for anything to return; nil where the answer does not say.
    public let lateCancel: Bool?
    /// Who cancelled it: `user`, `studio` or `wallet`; nil while it stands.
    public let cancelledBy: String?
    /// What its cancellation gave back; nil while it stands.
    public let returned: Returned?
    /// Whether the class was moved to another time since, so that cancelling is free until the new start; nil where
    /// the answer does not say.
    public let isMoved: Bool?
    /// Whether the seats came from the waitlist; nil where the answer does not say.
    public let isFromWaitlist: Bool?

    private enum CodingKeys: String, CodingKey {
        case bookingID = "booking_id"
        case classID = "class_id"
        case classTitle = "class_title"
        case startsAt = "starts_at"
        case status
        case seats
        case unit
        case amount
        case slices
        case confirmationCode = "confirmation_code"
        case cancellation
        case createdAt = "created_at"
        case cancelledAt = "cancelled_at"
        case lateCancel = "late_cancel"
        case cancelledBy = "cancelled_by"
        case returned
        case isMoved = "moved"
        case isFromWaitlist = "from_waitlist"
    }
}

/// A booking together with the balance after it.
public struct BookingResult: Decodable, Sendable, Equatable {
    /// The booking in its present state.
    public let booking: Booking
    /// The wallet's present balance.
    public let balance: BalanceSummary
    /// Whether the booking had been made before under this key; nothing was done this time.
    public internal(set) var isReplayed = false

    private enum CodingKeys: CodingKey {
        case booking
        case balance
    }
}

/// What a booking would do, had it been made.
public struct BookingQuote: Decodable, Sendable, Equatable {
    /// Whether the wallet can pay for it.
    public let payable: Bool
    /// What it would be paid in, `credit` or `visit`; nil where an unlimited plan covers it.
    public let unit: String?
    /// What it would cost in all.
    public let amount: Int64
    /// Which lots would pay.
    public let lots: [Booking.Slice]
    /// What the wallet would hold afterwards.
    public let balanceAfter: BalanceSummary

    private enum CodingKeys: String, CodingKey {
        case payable
        case unit
        case amount
        case lots
        case balanceAfter = "balance_after"
    }
}

/// Picks bookings for a list.
public enum BookingFilter: String, Sendable, Hashable {
    /// Standing bookings of classes that have not begun.
    case upcoming
    /// Standing bookings of classes that have begun.
    case past
    /// Cancelled bookings.
    case cancelled
}
