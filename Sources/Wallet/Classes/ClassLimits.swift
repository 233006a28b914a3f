/// The limits for bookings of a class; `nil` means no limit.
public struct ClassLimits: Codable, Sendable, Equatable {
    /// The maximum number of seats in one booking, 1 to 100.
    public var maxSeats: Int?
    /// The number of days ahead that bookings are possible, 0 to 3,660; a plan may let its holders book earlier.
    public var daysAhead: Int?
    /// The number of minutes before the start at which booking opens.
    public var opensMinutesBefore: Int?
    /// The number of minutes before the start at which booking closes; less than ``opensMinutesBefore``.
    public var closesMinutesBefore: Int?
    /// The maximum number of other bookings that a member may have at the same time, 0 to 100.
    public var maxOverlaps: Int?

    /// Creates limits; an omitted limit does not exist.
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

    /// Encodes every member; a missing limit is `null`.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.maxSeats, forKey: .maxSeats)
        try container.encode(self.daysAhead, forKey: .daysAhead)
        try container.encode(self.opensMinutesBefore, forKey: .opensMinutesBefore)
        try container.encode(self.closesMinutesBefore, forKey: .closesMinutesBefore)
        try container.encode(self.maxOverlaps, forKey: .maxOverlaps)
    }

    enum CodingKeys: String, CodingKey {
        case maxSeats = "max_seats"
        case daysAhead = "days_ahead"
        case opensMinutesBefore = "opens_minutes_before"
        case closesMinutesBefore = "closes_minutes_before"
        case maxOverlaps = "max_overlaps"
    }
}

/// The deadline until which a class's freed seats go to its waitlist.
public struct WaitlistPolicy: Decodable, Sendable, Equatable {
    /// The number of minutes before the start at which promotions from the waitlist end, 0 or more; 60 by default.
    public var cutoffMinutes: Int

    /// Creates a policy.
    public init(cutoffMinutes: Int = 60) {
        self.cutoffMinutes = cutoffMinutes
    }

    enum CodingKeys: String, CodingKey {
        case cutoffMinutes = "cutoff_minutes"
    }
}

/// The public state of a class's waitlist.
public struct WaitlistState: Encodable, Sendable, Equatable {
    /// The number of minutes before the start at which promotions from the waitlist end.
    public var cutoffMinutes: Int
    /// The number of members on the waitlist.
    public var length: Int

    enum CodingKeys: String, CodingKey {
        case cutoffMinutes = "cutoff_minutes"
        case length
    }
}
