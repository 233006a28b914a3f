/// What bookings of a class are held to; a limit that is nil does not exist.
public struct ClassLimits: Codable, Sendable, Equatable {
    /// The most seats that one booking takes, 1 to 100.
    public var maxSeats: Int?
    /// How many days ahead anybody books, 0 to 3,660; a plan may let its holders book earlier.
    public var daysAhead: Int?
    /// How many minutes before the start booking opens.
    public var opensMinutesBefore: Int?
    /// How many minutes before the start booking closes; less than ``opensMinutesBefore``.
    public var closesMinutesBefore: Int?
    /// How many bookings at the same time a member may already have, 0 to 100.
    public var maxOverlaps: Int?

    /// Makes limits; what is left out does not exist.
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

    /// Writes every member, a limit that does not exist as `null`.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
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

/// Until when a class's freed seats go to those who wait.
public struct WaitlistPolicy: Decodable, Sendable, Equatable {
    /// Minutes before the start from which nobody is promoted any more, 0 or more; 60 unless set.
    public var cutoffMinutes: Int

    /// Makes a policy.
    public init(cutoffMinutes: Int = 60) {
        self.cutoffMinutes = cutoffMinutes
    }

    enum CodingKeys: String, CodingKey {
        case cutoffMinutes = "cutoff_minutes"
    }
}

/// A class's waitlist, as everybody sees it.
public struct WaitlistState: Encodable, Sendable, Equatable {
    /// Minutes before the start from which nobody is promoted any more.
    public var cutoffMinutes: Int
    /// How many members wait.
    public var length: Int

    enum CodingKeys: String, CodingKey {
        case cutoffMinutes = "cutoff_minutes"
        case length
    }
}
