public import Foundation

/// A class with a date, seats and a price.
public struct ClassSession: Decodable, Sendable, Equatable {
    /// What a seat costs; a class has one price or both.
    public struct Price: Decodable, Sendable, Equatable {
        /// The price in credits; nil where credits do not pay for it.
        public let credits: Int64?
        /// The price in visits; nil where visits do not pay for it.
        public let visits: Int64?
    }

    /// What bookings of a class are held to; a limit that is nil does not exist.
    public struct Limits: Decodable, Sendable, Equatable {
        /// The most seats that one booking takes.
        public let maxSeats: Int?
        /// How many days ahead anybody books; a plan may let its holders book earlier.
        public let daysAhead: Int?
        /// How many minutes before the start booking opens.
        public let opensMinutesBefore: Int?
        /// How many minutes before the start booking closes.
        public let closesMinutesBefore: Int?
        /// How many bookings at the same time a member may already have.
        public let maxOverlaps: Int?

        private enum CodingKeys: String, CodingKey {
            case maxSeats = "max_seats"
            case daysAhead = "days_ahead"
            case opensMinutesBefore = "opens_minutes_before"
            case closesMinutesBefore = "closes_minutes_before"
            case maxOverlaps = "max_overlaps"
        }
    }

    /// Who waits for a class.
    public struct Waitlist: Decodable, Sendable, Equatable {
        /// Minutes before the start from which nobody is given a seat any more.
        public let cutoffMinutes: Int
        /// How many wait.
        public let length: Int

        private enum CodingKeys: String, CodingKey {
            case cutoffMinutes = "cutoff_minutes"
            case length
        }
    }

    /// The class's id.
    public let classID: String
    /// The name to show.
    public let title: String
    /// When it begins.
    public let startsAt: Date
    /// When it ends.
    public let endsAt: Date
    /// How many seats it has.
    public let capacity: Int
    /// How many of them can be booked; those that are held for the waitlist cannot.
    public let seatsLeft: Int
    /// What a seat costs.
    public let price: Price
    /// What bookings are held to; nil where the answer does not say.
    public let limits: Limits?
    /// Who waits for it; nil where the answer does not say.
    public let waitlist: Waitlist?
    /// `scheduled` or `cancelled`.
    public let status: String

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
