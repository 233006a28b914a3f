public import Foundation

/// A class with a date, seats and a price.
public struct ClassSession: Codable, Sendable, Hashable, Identifiable {
    /// What a seat costs; a class has one price or both.
    public struct Price: Codable, Sendable, Hashable {
        /// The price in credits; nil where credits do not pay for it.
        public var credits: Int64?
        /// The price in visits; nil where visits do not pay for it.
        public var visits: Int64?

        /// Creates a value of the given properties, for previews and tests.
        public init(
            credits: Int64? = nil,
            visits: Int64? = nil
        ) {
            self.credits = credits
            self.visits = visits
        }
    }

    /// What bookings of a class are held to; a limit that is nil does not exist.
    public struct Limits: Codable, Sendable, Hashable {
        /// The most seats that one booking takes.
        public var maxSeats: Int?
        /// How many days ahead anybody books; a plan may let its holders book earlier.
        public var daysAhead: Int?
        /// How many minutes before the start booking opens.
        public var opensMinutesBefore: Int?
        /// How many minutes before the start booking closes.
        public var closesMinutesBefore: Int?
        /// How many bookings at the same time a member may already have.
        public var maxOverlaps: Int?

        /// Creates a value of the given properties, for previews and tests.
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

    /// Who waits for a class.
    public struct Waitlist: Codable, Sendable, Hashable {
        /// Minutes before the start from which nobody is given a seat any more.
        public var cutoffMinutes: Int
        /// How many wait.
        public var length: Int

        /// Creates a value of the given properties, for previews and tests.
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
    /// When it begins.
    public var startsAt: Date
    /// When it ends.
    public var endsAt: Date
    /// How many seats it has.
    public var capacity: Int
    /// How many of them can be booked; those that are held for the waitlist cannot.
    public var seatsLeft: Int
    /// What a seat costs.
    public var price: Price
    /// What bookings are held to; nil where the answer does not say.
    public var limits: Limits?
    /// Who waits for it; nil where the answer does not say.
    public var waitlist: Waitlist?
    /// `scheduled` or `cancelled`.
    public var status: ClassStatus

    /// The identity in a list, ``classID``.
    public var id: String { self.classID }

    /// Creates a value of the given properties, for previews and tests.
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
        status: ClassStatus
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
    }
}
