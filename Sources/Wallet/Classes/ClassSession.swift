public import Foundation

/// The price of one seat; a class has one or both.
public struct SeatPrice: Codable, Sendable, Equatable {
    /// The price in credits, 1 or more; `nil` if credits are not accepted.
    public var credits: Int64?
    /// The price in visits, 1 or more; `nil` if visits are not accepted.
    public var visits: Int64?

    /// Creates a price.
    public init(credits: Int64? = nil, visits: Int64? = nil) {
        self.credits = credits
        self.visits = visits
    }

    /// Encodes both members; a missing one is `null`.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.credits, forKey: .credits)
        try container.encode(self.visits, forKey: .visits)
    }
}

/// The deadline for cancelling a booking with a full refund.
public struct CancellationPolicy: Codable, Sendable, Equatable {
    /// The number of minutes before the start at which free cancellation ends, 0 or more; 1440 by default.
    public var freeMinutesBefore: Int

    /// Creates a policy.
    public init(freeMinutesBefore: Int = 1440) {
        self.freeMinutesBefore = freeMinutesBefore
    }

    enum CodingKeys: String, CodingKey {
        case freeMinutesBefore = "free_minutes_before"
    }
}

/// A class with a date, seats and a price.
public struct ClassSession: Encodable, Sendable {
    /// The operator's id of the class.
    public var classID: String
    /// The name to show.
    public var title: String
    /// The start of the class.
    public var startsAt: Date
    /// The end of the class.
    public var endsAt: Date
    /// The number of seats in this environment.
    public var capacity: Int
    /// The number of seats that can be booked; seats reserved for the waitlist are not included.
    public var seatsLeft: Int
    /// The price of a seat.
    public var price: SeatPrice
    /// The deadline for free cancellation.
    public var cancellation: CancellationPolicy
    /// The limits for bookings.
    public var limits: ClassLimits
    /// The state of the waitlist.
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

/// An operator's definition of a class.
public struct ClassDefinition: Decodable, Sendable, Equatable {
    /// The name to show, 1 to 200 characters.
    public var title: String
    /// The start of the class.
    public var startsAt: Date
    /// The end of the class, after the start.
    public var endsAt: Date
    /// The number of seats in each environment, 0 to 100,000.
    public var capacity: Int
    /// The price of a seat.
    public var price: SeatPrice
    /// The deadline for free cancellation; a day before the start by default.
    public var cancellation: CancellationPolicy?
    /// The limits for bookings; none by default.
    public var limits: ClassLimits?
    /// The deadline for promotions from the waitlist; an hour before the start by default.
    public var waitlist: WaitlistPolicy?

    /// Creates a definition.
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
