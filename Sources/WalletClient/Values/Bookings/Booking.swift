public import Foundation

/// A booking in its current state.
public struct Booking: Codable, Sendable, Hashable, Identifiable {
    /// The amount that one lot paid.
    public struct Slice: Codable, Sendable, Hashable {
        /// The lot's id.
        public var lotID: UUID
        /// The amount that the lot paid.
        public var amount: Int64

        /// Creates a value with the given properties, for previews and tests.
        public init(
            lotID: UUID,
            amount: Int64
        ) {
            self.lotID = lotID
            self.amount = amount
        }

        private enum CodingKeys: String, CodingKey {
            case lotID = "lot_id"
            case amount
        }
    }

    /// The cancellation terms of a booking.
    public struct Cancellation: Codable, Sendable, Hashable {
        /// The deadline for a cancellation that returns everything; the new start if the class was moved.
        public var freeUntil: Date

        /// Creates a value with the given properties, for previews and tests.
        public init(
            freeUntil: Date
        ) {
            self.freeUntil = freeUntil
        }

        private enum CodingKeys: String, CodingKey {
            case freeUntil = "free_until"
        }
    }

    /// The amount that a cancellation returned.
    public struct Returned: Codable, Sendable, Hashable {
        /// `credit` or `visit`; nil for a booking that an unlimited plan covered.
        public var unit: BalanceUnit?
        /// The returned amount.
        public var amount: Int64

        /// Creates a value with the given properties, for previews and tests.
        public init(
            unit: BalanceUnit? = nil,
            amount: Int64
        ) {
            self.unit = unit
            self.amount = amount
        }
    }

    /// The booking's id.
    public var bookingID: UUID
    /// The class's id.
    public var classID: String
    /// The class's title.
    public var classTitle: String
    /// The start of the class.
    public var startsAt: Date
    /// `booked` or `cancelled`.
    public var status: BookingStatus
    /// The number of seats.
    public var seats: Int
    /// The unit that paid, `credit` or `visit`; nil if an unlimited plan covers the booking.
    public var unit: BalanceUnit?
    /// The price of all seats.
    public var amount: Int64
    /// The lots that paid, in the order in which they were charged.
    public var slices: [Slice]
    /// A short code that the user shows at the class.
    public var confirmationCode: String
    /// The cancellation terms.
    public var cancellation: Cancellation
    /// The instant at which the booking was made.
    public var createdAt: Date
    /// The instant of the cancellation; nil if the booking is not cancelled.
    public var cancelledAt: Date?
    /// A Boolean value that indicates whether the cancellation was too late to return anything; nil if the response
    /// omits it.
    public var isLateCancel: Bool?
    /// The party that cancelled the booking, `user`, `studio` or `wallet`; nil if the booking is not cancelled.
    public var cancelledBy: CancelledBy?
    /// The amount that the cancellation returned; nil if the booking is not cancelled.
    public var returned: Returned?
    /// A Boolean value that indicates whether the class was moved after the booking; nil if the response omits it.
    ///
    /// The user may cancel a moved booking free of charge until the new start.
    public var isMoved: Bool?
    /// A Boolean value that indicates whether the seats came from the waitlist; nil if the response omits it.
    public var isFromWaitlist: Bool?
    /// `unmarked`, `attended`, `no_show` or `excused`; nil if the response omits it.
    public var attendance: Attendance?
    /// The fee in credits for a late cancellation or a no-show, in addition to the price; nil if the response omits it.
    public var fee: Int64?
    /// A Boolean value that indicates whether a late cancellation or a no-show counts as a strike; nil if the response
    /// omits it.
    public var isStrike: Bool?

    /// The identity in a list, ``bookingID``.
    public var id: UUID { self.bookingID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        bookingID: UUID,
        classID: String,
        classTitle: String,
        startsAt: Date,
        status: BookingStatus,
        seats: Int,
        unit: BalanceUnit? = nil,
        amount: Int64,
        slices: [Slice] = [],
        confirmationCode: String,
        cancellation: Cancellation,
        createdAt: Date,
        cancelledAt: Date? = nil,
        isLateCancel: Bool? = nil,
        cancelledBy: CancelledBy? = nil,
        returned: Returned? = nil,
        isMoved: Bool? = nil,
        isFromWaitlist: Bool? = nil,
        attendance: Attendance? = nil,
        fee: Int64? = nil,
        isStrike: Bool? = nil
    ) {
        self.bookingID = bookingID
        self.classID = classID
        self.classTitle = classTitle
        self.startsAt = startsAt
        self.status = status
        self.seats = seats
        self.unit = unit
        self.amount = amount
        self.slices = slices
        self.confirmationCode = confirmationCode
        self.cancellation = cancellation
        self.createdAt = createdAt
        self.cancelledAt = cancelledAt
        self.isLateCancel = isLateCancel
        self.cancelledBy = cancelledBy
        self.returned = returned
        self.isMoved = isMoved
        self.isFromWaitlist = isFromWaitlist
        self.attendance = attendance
        self.fee = fee
        self.isStrike = isStrike
    }

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
        case isLateCancel = "late_cancel"
        case cancelledBy = "cancelled_by"
        case returned
        case isMoved = "moved"
        case isFromWaitlist = "from_waitlist"
        case attendance
        case fee
        case isStrike = "strike"
    }
}
