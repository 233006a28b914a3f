public import Foundation
import Postgres

extension Wallet {
    /// Lists the upcoming classes, the next one first.
    ///
    /// SQL: `views/classes/class_list.sql`.
    ///
    /// - Parameters:
    ///   - environment: The environment whose seats the list contains.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func classes(in environment: WalletEnvironment, page: PageRequest) async throws -> Page<ClassSession> {
        let after = try page.cursorInstant()
        let found = try await self.read(
            """
            SELECT \(unescaped: ClassSession.columns) FROM wallet.class_list AS c
            WHERE c.environment = \(environment.rawValue)::wallet.environment AND c.status = 'scheduled'
                AND c.starts_at > (SELECT wallet.now())
                AND (c.starts_at, c.class_id) > (
                    timestamptz 'epoch' + coalesce(\(after?.microseconds), 0::bigint) * interval '1 microsecond',
                    coalesce(\(after?.id), '')
                )
            ORDER BY c.starts_at, c.class_id
            LIMIT \(page.limit + 1)
            """
        ) { row in try ClassSession(row: row) }
        return Page(found, limit: page.limit) {
            ["\($0.startsAt.microsecondsSince1970)", $0.classID]
        }
    }

    /// Returns one class, which may be past or cancelled.
    ///
    /// SQL: `views/classes/class_list.sql`.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - environment: The environment whose seats the result contains.
    /// - Returns: The class.
    /// - Throws: ``WalletError`` 404 `class-not-found`, 503 when the database does not answer.
    public func classSession(_ id: String, in environment: WalletEnvironment) async throws -> ClassSession {
        let found = try await self.read(
            """
            SELECT \(unescaped: ClassSession.columns) FROM wallet.class_list AS c
            WHERE c.environment = \(environment.rawValue)::wallet.environment AND c.class_id = \(id)
            """
        ) { row in try ClassSession(row: row) }
        guard let session = found.first else { throw WalletError(status: 404, slug: "class-not-found") }
        return session
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
    /// The policy of the class; `nil` for none.
    @Nullable public var policyID: String?
    /// The series that created the class; `nil` for none.
    @Nullable public var seriesID: String?

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case title
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case capacity
        case seatsLeft = "seats_left"
        case price, cancellation, limits, waitlist, status
        case policyID = "policy_id"
        case seriesID = "series_id"
    }
}

extension ClassSession {
    fileprivate static let columns = """
        c.class_id, c.title, c.starts_at, c.ends_at, c.capacity, c.seats_left, c.price_credits, c.price_visits,
        c.free_minutes_before, c.status, c.max_seats, c.days_ahead, c.opens_minutes_before, c.closes_minutes_before,
        c.max_overlaps, c.waitlist_cutoff_minutes, c.waitlist_length::bigint AS waitlist_length, c.policy_id,
        c.series_id
        """

    fileprivate init(row: Row) throws {
        self.init(
            classID: try row.decode("class_id"),
            title: try row.decode("title"),
            startsAt: try row.decode("starts_at"),
            endsAt: try row.decode("ends_at"),
            capacity: Int(try row.decode("capacity", as: Int32.self)),
            seatsLeft: Int(try row.decode("seats_left", as: Int32.self)),
            price: SeatPrice(credits: try row.decode("price_credits"), visits: try row.decode("price_visits")),
            cancellation: CancellationPolicy(
                freeMinutesBefore: Int(try row.decode("free_minutes_before", as: Int32.self))
            ),
            limits: try ClassLimits(row: row),
            waitlist: WaitlistState(
                cutoffMinutes: Int(try row.decode("waitlist_cutoff_minutes", as: Int32.self)),
                length: Int(try row.decode("waitlist_length", as: Int64.self))
            ),
            status: try row.decode("status"),
            policyID: try row.decode("policy_id"),
            seriesID: try row.decode("series_id")
        )
    }
}

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

extension ClassLimits {
    fileprivate init(row: Row) throws {
        self.init(
            maxSeats: try row.decode("max_seats", as: Int32?.self).map(Int.init),
            daysAhead: try row.decode("days_ahead", as: Int32?.self).map(Int.init),
            opensMinutesBefore: try row.decode("opens_minutes_before", as: Int32?.self).map(Int.init),
            closesMinutesBefore: try row.decode("closes_minutes_before", as: Int32?.self).map(Int.init),
            maxOverlaps: try row.decode("max_overlaps", as: Int32?.self).map(Int.init)
        )
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
