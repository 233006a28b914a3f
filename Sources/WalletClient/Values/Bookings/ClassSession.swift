public import Foundation

/// A class with a date, seats and a price.
public struct ClassSession: Codable, Sendable, Hashable, Identifiable {
    /// The price of one seat, in credits, visits or both.
    public struct Price: Codable, Sendable, Hashable {
        /// The price in credits; nil if the class does not accept credits.
        public var credits: Int64?
        /// The price in visits; nil if the class does not accept visits.
        public var visits: Int64?

        /// Creates a value with the given properties, for previews and tests.
        public init(
            credits: Int64? = nil,
            visits: Int64? = nil
        ) {
            self.credits = credits
            self.visits = visits
        }
    }

    /// The booking limits of a class; a nil property means no limit.
    public struct Limits: Codable, Sendable, Hashable {
        /// The maximum number of seats of one booking.
        public var maxSeats: Int?
        /// The maximum number of days from the booking to the start; a plan may allow its subscribers more.
        public var daysAhead: Int?
        /// The number of minutes before the start at which booking opens.
        public var opensMinutesBefore: Int?
        /// The number of minutes before the start at which booking closes.
        public var closesMinutesBefore: Int?
        /// The maximum number of overlapping bookings that the user may already have.
        public var maxOverlaps: Int?

        /// Creates a value with the given properties, for previews and tests.
        public init(
            maxSeats: Int? = nil,
            daysAhead: Int? = nil,
            opensMinutesBefore: Int? = nil,
            closesMinutesBefore: Int? = nil,
            maxOverlaps: Int? = nil
        ) {
            self.maxSeats = maxSeats
            self.daysAhead = daysAhead
            self.opensMinutesBefore = opensMinutesBefore
            self.closesMinutesBefore = closesMinutesBefore
            self.maxOverlaps = maxOverlaps
        }

        private enum CodingKeys: String, CodingKey {
            case maxSeats = "max_seats"
            case daysAhead = "days_ahead"
            case opensMinutesBefore = "opens_minutes_before"
            case closesMinutesBefore = "closes_minutes_before"
            case maxOverlaps = "max_overlaps"
        }
    }

    /// The waitlist of a class.
    public struct Waitlist: Codable, Sendable, Hashable {
        /// The number of minutes before the start at which the waitlist stops filling seats.
        public var cutoffMinutes: Int
        /// The number of users on the waitlist.
        public var length: Int

        /// Creates a value with the given properties, for previews and tests.
        public init(
            cutoffMinutes: Int,
            length: Int
        ) {
            self.cutoffMinutes = cutoffMinutes
            self.length = length
        }

        private enum CodingKeys: String, CodingKey {
            case cutoffMinutes = "cutoff_minutes"
            case length
        }
    }

    /// The class's id.
    public var classID: String
    /// The name to show.
    public var title: String
    /// The start of the class.
    public var startsAt: Date
    /// The end of the class.
    public var endsAt: Date
    /// The number of seats.
    public var capacity: Int
    /// The number of seats that can be booked, without those held for the waitlist.
    public var seatsLeft: Int
    /// The price of one seat.
    public var price: Price
    /// The booking limits; nil if the response omits them.
    public var limits: Limits?
    /// The waitlist; nil if the response omits it.
    public var waitlist: Waitlist?
    /// `scheduled` or `cancelled`.
    public var status: ClassStatus
    /// The policy of the class; nil for none.
    public var policyID: String?
    /// The weekly series of the class; nil for none.
    public var seriesID: String?

    /// The identity in a list, ``classID``.
    public var id: String { self.classID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        classID: String,
        title: String,
        startsAt: Date,
        endsAt: Date,
        capacity: Int,
        seatsLeft: Int,
        price: Price,
        limits: Limits? = nil,
        waitlist: Waitlist? = nil,
        status: ClassStatus,
        policyID: String? = nil,
        seriesID: String? = nil
    ) {
        self.classID = classID
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.capacity = capacity
        self.seatsLeft = seatsLeft
        self.price = price
        self.limits = limits
        self.waitlist = waitlist
        self.status = status
        self.policyID = policyID
        self.seriesID = seriesID
    }

    private enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case title
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case capacity
        case seatsLeft = "seats_left"
        case price
        case limits
        case waitlist
        case status
        case policyID = "policy_id"
        case seriesID = "series_id"
    }
}
