public import Foundation
import Postgres

extension Wallet {
    /// Creates or changes a class for an operator, once per key.
    ///
    /// SQL: `functions/classes/put_class.sql`.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - definition: The new definition; an omitted member gets the default of a new class.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    ///   - environment: The environment whose seats the result contains.
    /// - Returns: The class in its current state.
    /// - Throws: ``WalletError`` 403 `right-missing`, 404 `policy-not-found`, 409 `capacity-below-sold` or
    ///   `class-closed`, 422 `class-in-the-past`, `idempotency-key-reused` or `invalid-values`, 503 when the database
    ///   does not answer.
    public func putClass(
        _ id: String,
        _ definition: ClassDefinition,
        by actor: OperatorIdentity,
        key: String,
        in environment: WalletEnvironment
    ) async throws -> ClassSession {
        let limits = definition.limits ?? ClassLimits()
        try await self.execute(
            """
            SELECT wallet.put_class(
                \(id), \(definition.title), \(definition.startsAt), \(definition.endsAt),
                \(Int32(clamping: definition.capacity)), \(definition.price.credits), \(definition.price.visits),
                \(Int32(clamping: definition.cancellation?.freeMinutesBefore ?? 1440)), \(actor.id.rawValue), \(key),
                ROW(
                    \(limits.maxSeats.map { Int32(clamping: $0) }), \(limits.daysAhead.map { Int32(clamping: $0) }),
                    \(limits.opensMinutesBefore.map { Int32(clamping: $0) }),
                    \(limits.closesMinutesBefore.map { Int32(clamping: $0) }),
                    \(limits.maxOverlaps.map { Int32(clamping: $0) }),
                    \(definition.waitlist.map { Int32(clamping: $0.cutoffMinutes) })
                )::wallet.class_limits,
                \(actor.right.rawValue)::wallet.operator_right, \(definition.policyID)
            )
            """
        )
        return try await self.classSession(id, in: environment)
    }

    /// Cancels a class for an operator: bookings become impossible, and existing bookings are refunded in full.
    ///
    /// SQL: `functions/bookings/cancel_class.sql`; ``settleClasses(limit:)`` settles the bookings later.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - reason: The reason, for the books.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    ///   - environment: The environment whose seats the result contains.
    /// - Returns: The class in its current state.
    /// - Throws: ``WalletError`` 403 `right-missing`, 404 `class-not-found`, 409 `class-closed` if it has begun, 422
    ///   `idempotency-key-reused`, 503 when the database does not answer.
    public func cancelClass(
        _ id: String,
        reason: String,
        by actor: OperatorIdentity,
        key: String,
        in environment: WalletEnvironment
    ) async throws -> ClassSession {
        try await self.execute(
            """
            SELECT wallet.cancel_class(
                \(id), \(reason), \(actor.id.rawValue), \(key), \(actor.right.rawValue)::wallet.operator_right
            )::text AS done
            """
        )
        return try await self.classSession(id, in: environment)
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
    /// The policy of the class, which also determines the deadline for free cancellation; none by default.
    public var policyID: String?
    /// The time zone of the start in a generated id; the studio's by default.
    public var timeZone: StudioTimeZone?

    /// Creates a definition.
    public init(
        title: String,
        startsAt: Date,
        endsAt: Date,
        capacity: Int,
        price: SeatPrice,
        cancellation: CancellationPolicy? = nil,
        limits: ClassLimits? = nil,
        waitlist: WaitlistPolicy? = nil,
        policyID: String? = nil
    ) {
        self.title = title
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.capacity = capacity
        self.price = price
        self.cancellation = cancellation
        self.limits = limits
        self.waitlist = waitlist
        self.policyID = policyID
    }

    /// Decodes a definition, which has either the end or the length in minutes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let startsAt = try container.decode(Date.self, forKey: .startsAt)
        let minutes = try container.decodeIfPresent(Int.self, forKey: .minutes)
        let endsAt = try container.decodeIfPresent(Date.self, forKey: .endsAt)
        self.init(
            title: try container.decode(String.self, forKey: .title),
            startsAt: startsAt,
            endsAt: try endsAt ?? minutes.map { startsAt.addingTimeInterval(Double($0) * 60) }
                ?? container.decode(Date.self, forKey: .endsAt),
            capacity: try container.decode(Int.self, forKey: .capacity),
            price: try container.decodeIfPresent(SeatPrice.self, forKey: .price) ?? SeatPrice(),
            cancellation: try container.decodeIfPresent(CancellationPolicy.self, forKey: .cancellation),
            limits: try container.decodeIfPresent(ClassLimits.self, forKey: .limits),
            waitlist: try container.decodeIfPresent(WaitlistPolicy.self, forKey: .waitlist),
            policyID: try container.decodeIfPresent(String.self, forKey: .policyID)
        )
        self.timeZone = try container.decodeIfPresent(StudioTimeZone.self, forKey: .timeZone)
        if let minutes, !(1...1_440).contains(minutes) {
            throw DecodingError.outside("1 to 1440", container.codingPath + [CodingKeys.minutes])
        }
    }

    enum CodingKeys: String, CodingKey {
        case title
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case minutes, capacity, price, cancellation, limits, waitlist
        case policyID = "policy_id"
        case timeZone = "time_zone"
    }
}

extension ClassDefinition {
    /// Refuses members of the correct type whose values no class can have.
    ///
    /// - Returns: The definition.
    /// - Throws: ``WalletError`` 400 `malformed-request`.
    package func checked() throws -> ClassDefinition {
        try OperatorText.check(self.title, "title", upTo: 200)
        guard self.startsAt < self.endsAt else {
            throw WalletError.member(
                "ends_at",
                "must be later than \"starts_at\", \(WireJSON.text(self.startsAt))",
                Received(WireJSON.text(self.endsAt))
            )
        }
        try OperatorNumber.check(self.capacity, "capacity", 0...100_000)
        guard self.price.credits != nil || self.price.visits != nil else {
            throw WalletError.member("price", "must set credits, visits or both")
        }
        try OperatorNumber.check(self.price.credits, "price.credits", 1...1_000_000)
        try OperatorNumber.check(self.price.visits, "price.visits", 1...1_000_000)
        try OperatorNumber.check(
            self.cancellation?.freeMinutesBefore,
            "cancellation.free_minutes_before",
            0...525_600
        )
        try self.limits?.check()
        if let id = self.policyID, !ClassID.isValid(id) {
            throw WalletError.member("policy_id", "must be 1 to 64 of A-Z a-z 0-9 . _ : -", Received(id))
        }
        try OperatorNumber.check(self.waitlist?.cutoffMinutes, "waitlist.cutoff_minutes", 0...525_600)
        return self
    }
}

extension ClassLimits {
    /// Refuses limits that are out of range.
    fileprivate func check() throws {
        try OperatorNumber.check(self.maxSeats, "limits.max_seats", 1...100)
        try OperatorNumber.check(self.daysAhead, "limits.days_ahead", 0...3_660)
        try OperatorNumber.check(self.opensMinutesBefore, "limits.opens_minutes_before", 0...5_270_400)
        try OperatorNumber.check(self.closesMinutesBefore, "limits.closes_minutes_before", 0...525_600)
        try OperatorNumber.check(self.maxOverlaps, "limits.max_overlaps", 0...100)
        if let opens = self.opensMinutesBefore, let closes = self.closesMinutesBefore, opens <= closes {
            throw WalletError.member(
                "limits.opens_minutes_before",
                "must be more than \"limits.closes_minutes_before\", \(closes)",
                Received(opens)
            )
        }
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

/// A class in the columns of `admin.classes`.
struct ClassColumns: Encodable {
    let definition: ClassDefinition

    private enum CodingKeys: String, CodingKey {
        case title, capacity
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case priceCredits = "price_credits"
        case priceVisits = "price_visits"
        case freeMinutesBefore = "free_minutes_before"
        case maxSeats = "max_seats"
        case daysAhead = "days_ahead"
        case opensMinutesBefore = "opens_minutes_before"
        case closesMinutesBefore = "closes_minutes_before"
        case maxOverlaps = "max_overlaps"
        case waitlistCutoffMinutes = "waitlist_cutoff_minutes"
        case policyID = "policy_id"
        case timeZone = "time_zone"
    }

    func encode(to encoder: any Encoder) throws {
        let instant = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let limits = self.definition.limits
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.definition.title, forKey: .title)
        try container.encode(self.definition.capacity, forKey: .capacity)
        try container.encode(self.definition.startsAt.formatted(instant), forKey: .startsAt)
        try container.encode(self.definition.endsAt.formatted(instant), forKey: .endsAt)
        try container.encodeIfPresent(self.definition.price.credits, forKey: .priceCredits)
        try container.encodeIfPresent(self.definition.price.visits, forKey: .priceVisits)
        try container.encodeIfPresent(self.definition.cancellation?.freeMinutesBefore, forKey: .freeMinutesBefore)
        try container.encodeIfPresent(limits?.maxSeats, forKey: .maxSeats)
        try container.encodeIfPresent(limits?.daysAhead, forKey: .daysAhead)
        try container.encodeIfPresent(limits?.opensMinutesBefore, forKey: .opensMinutesBefore)
        try container.encodeIfPresent(limits?.closesMinutesBefore, forKey: .closesMinutesBefore)
        try container.encodeIfPresent(limits?.maxOverlaps, forKey: .maxOverlaps)
        try container.encodeIfPresent(self.definition.waitlist?.cutoffMinutes, forKey: .waitlistCutoffMinutes)
        try container.encodeIfPresent(self.definition.policyID, forKey: .policyID)
        try container.encodeIfPresent(self.definition.timeZone?.name, forKey: .timeZone)
    }
}
