public import Foundation

/// The price of one seat; a class has one or both.
public struct SeatPrice: Codable, Sendable, Equatable {
    /// The price in credits, 1 or more; nil when credits do not pay for it.
    public var credits: Int64?
    /// The price in visits, 1 or more; nil when visits do not pay for it.
    public var visits: Int64?

    /// Makes a price.
    public init(credits: Int64? = nil, visits: Int64? = nil) {
        self.credits = credits
        self.visits = visits
    }

    /// Writes both members, the missing one as `null`.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.credits, forKey: .credits)
        try container.encode(self.visits, forKey: .visits)
    }
}

/// Until when a booking may be cancelled with everything returned.
public struct CancellationPolicy: Codable, Sendable, Equatable {
    /// Minutes before the start until which cancelling is free, 0 or more; 1440 unless set.
    public var freeMinutesBefore: Int

    /// Makes a policy.
    public init(freeMinutesBefore: Int = 1440) {
        self.freeMinutesBefore = freeMinutesBefore
    }

    enum CodingKeys: String, CodingKey {
        case freeMinutesBefore = "free_minutes_before"
    }
}

/// A class with a date, seats and a price.
public struct ClassSession: Encodable, Sendable {
    /// The operator's id for it.
    public var classID: String
    /// The name to show.
    public var title: String
    /// When it begins.
    public var startsAt: Date
    /// When it ends.
    public var endsAt: Date
    /// How many seats it has in this environment.
    public var capacity: Int
    /// How many of them can be booked; those that are held for the waitlist cannot.
    public var seatsLeft: Int
    /// What a seat costs.
    public var price: SeatPrice
    /// Until when cancelling is free.
    public var cancellation: CancellationPolicy
    /// What its bookings are held to.
    public var limits: ClassLimits
    /// Who waits for it.
    public var waitlist: WaitlistState
    /// `scheduled` or `cancelled`.
    public var status: String

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case title
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case capacity
        case seatsLeft = "seats_left"
        case price, cancellation, limits, waitlist, status
    }
}

/// What an operator says of a class.
public struct ClassDefinition: Decodable, Sendable, Equatable {
    /// The name to show, 1 to 200 characters.
    public var title: String
    /// When it begins.
    public var startsAt: Date
    /// When it ends, after the start.
    public var endsAt: Date
    /// How many seats it has in each environment, 0 to 100,000.
    public var capacity: Int
    /// What a seat costs.
    public var price: SeatPrice
    /// Until when cancelling is free; a day before unless said.
    public var cancellation: CancellationPolicy?
    /// What its bookings are held to; nothing unless said.
    public var limits: ClassLimits?
    /// Until when freed seats go to those who wait; until an hour before the start unless said.
    public var waitlist: WaitlistPolicy?

    /// Makes a definition.
    public init(
        title: String,
        startsAt: Date,
        endsAt: Date,
        capacity: Int,
        price: SeatPrice,
        cancellation: CancellationPolicy? = nil,
        limits: ClassLimits? = nil,
        waitlist: WaitlistPolicy? = nil
    ) {
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.capacity = capacity
        self.price = price
        self.cancellation = cancellation
        self.limits = limits
        self.waitlist = waitlist
    }

    enum CodingKeys: String, CodingKey {
        case title
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case capacity, price, cancellation, limits, waitlist
    }
}
