public import Foundation

/// A booking in its present state.
public struct Booking: Codable, Sendable, Hashable, Identifiable {
    /// How much one lot paid.
    public struct Slice: Codable, Sendable, Hashable {
        /// The lot.
        public var lotID: UUID
        /// How much it paid.
        public var amount: Int64

        /// Creates a value of the given properties, for previews and tests.
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

    /// The policy that it may be cancelled by.
    public struct Cancellation: Codable, Sendable, Hashable {
        /// Until when cancelling returns everything: the start itself once the class was moved.
        public var freeUntil: Date

        /// Creates a value of the given properties, for previews and tests.
        public init(
            freeUntil: Date
        ) {
            self.freeUntil = freeUntil
        }

        private enum CodingKeys: String, CodingKey {
            case freeUntil = "free_until"
        }
    }

    /// What a cancellation gave back.
    public struct Returned: Codable, Sendable, Hashable {
        /// `credit` or `visit`; nil for a booking that an unlimited plan covered.
        public var unit: BalanceUnit?
        /// How much was given back.
        public var amount: Int64

        /// Creates a value of the given properties, for previews and tests.
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
    /// The class that it is for.
    public var classID: String
    /// That class's name.
    public var classTitle: String
    /// When that class begins.
    public var startsAt: Date
    /// `booked` or `cancelled`.
    public var status: BookingStatus
    /// How many seats it takes.
    public var seats: Int
    /// What it was paid in, `credit` or `visit`; nil where an unlimited plan covers it.
    public var unit: BalanceUnit?
    /// What it cost in all.
    public var amount: Int64
    /// Which lots paid, in the order in which they were burnt.
    public var slices: [Slice]
    /// A short code to show at the door.
    public var confirmationCode: String
    /// The policy that it may be cancelled by.
    public var cancellation: Cancellation
    /// When it was made.
    public var createdAt: Date
    /// When it was cancelled; nil while it stands.
    public var cancelledAt: Date?
    /// Whether it was cancelled too late for anything to return; nil where the answer does not say.
    public var lateCancel: Bool?
    /// Who cancelled it: `user`, `studio` or `wallet`; nil while it stands.
    public var cancelledBy: CancelledBy?
    /// What its cancellation gave back; nil while it stands.
    public var returned: Returned?
    /// Whether the class was moved to another time since, so that cancelling is free until the new start; nil where
    /// the answer does not say.
    public var isMoved: Bool?
    /// Whether the seats came from the waitlist; nil where the answer does not say.
    public var isFromWaitlist: Bool?

    /// The identity in a list, ``bookingID``.
    public var id: UUID { self.bookingID }

    /// Creates a value of the given properties, for previews and tests.
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
        lateCancel: Bool? = nil,
        cancelledBy: CancelledBy? = nil,
        returned: Returned? = nil,
        isMoved: Bool? = nil,
        isFromWaitlist: Bool? = nil
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
        self.lateCancel = lateCancel
        self.cancelledBy = cancelledBy
        self.returned = returned
        self.isMoved = isMoved
        self.isFromWaitlist = isFromWaitlist
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
        case lateCancel = "late_cancel"
        case cancelledBy = "cancelled_by"
        case returned
        case isMoved = "moved"
        case isFromWaitlist = "from_waitlist"
    }
}
