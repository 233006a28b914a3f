import Postgres

extension Wallet {
    /// Returns the current terms of a policy.
    ///
    /// SQL: `views/classes/policy_list.sql`.
    ///
    /// - Parameter id: The studio's id of the policy.
    /// - Returns: The policy.
    /// - Throws: ``WalletError`` 404 `policy-not-found`, 503 when the database does not answer.
    public func policy(_ id: String) async throws -> Policy {
        let found = try await self.read(
            """
            SELECT p.policy_id, p.name, p.free_minutes_before, p.late_cancel_fee, p.late_cancel_strike, p.no_show_fee,
                p.no_show_strike, p.strikes_allowed, p.strike_days, p.block_days, p.check_in_minutes_before,
                p.check_in_minutes_after
            FROM wallet.policy_list AS p
            WHERE p.policy_id = \(id)
            """
        ) { row in try Policy(row: row) }
        guard let policy = found.first else { throw WalletError(status: 404, slug: "policy-not-found") }
        return policy
    }
}

/// The terms of a policy: the consequences of late cancellations and no-shows, in addition to the price.
public struct Policy: Encodable, Sendable, Equatable {
    /// The studio's id of the policy.
    public var policyID: String
    /// The name to show.
    public var name: String
    /// The deadline for free cancellation.
    public var cancellation: CancellationPolicy
    /// The consequence of a late cancellation.
    public var lateCancel: Consequence
    /// The consequence of a no-show.
    public var noShow: Consequence
    /// The number of strikes that blocks bookings; `nil` if strikes never block.
    @Nullable public var strikes: StrikeLimit?
    /// When members may check in.
    public var checkIn: CheckInWindow

    enum CodingKeys: String, CodingKey {
        case policyID = "policy_id"
        case name, cancellation
        case lateCancel = "late_cancel"
        case noShow = "no_show"
        case strikes
        case checkIn = "check_in"
    }

    fileprivate init(row: Row) throws {
        self.policyID = try row.decode("policy_id")
        self.name = try row.decode("name")
        self.cancellation = CancellationPolicy(
            freeMinutesBefore: Int(try row.decode("free_minutes_before", as: Int32.self))
        )
        self.lateCancel = Consequence(
            fee: try row.decode("late_cancel_fee"),
            strike: try row.decode("late_cancel_strike")
        )
        self.noShow = Consequence(fee: try row.decode("no_show_fee"), strike: try row.decode("no_show_strike"))
        self.strikes = try StrikeLimit(row: row)
        self.checkIn = CheckInWindow(
            minutesBefore: Int(try row.decode("check_in_minutes_before", as: Int32.self)),
            minutesAfter: try row.decode("check_in_minutes_after", as: Int32?.self).map(Int.init)
        )
    }
}

/// The consequence of a late cancellation or a no-show, in addition to the price.
public struct Consequence: Codable, Sendable, Equatable {
    /// The fee in credits, 0 to 1,000,000.
    public var fee: Int64
    /// A Boolean value that indicates whether the user gets a strike.
    public var strike: Bool

    /// Creates a consequence; by default none.
    public init(fee: Int64 = 0, strike: Bool = false) {
        self.fee = fee
        self.strike = strike
    }

    /// Decodes a consequence; a missing member means none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.fee = try container.decodeIfPresent(Int64.self, forKey: .fee) ?? 0
        self.strike = try container.decodeIfPresent(Bool.self, forKey: .strike) ?? false
    }
}

/// The number of strikes that blocks bookings.
public struct StrikeLimit: Codable, Sendable, Equatable {
    /// The number of strikes without a block, 0 to 100.
    public var allowed: Int
    /// The number of days in which strikes count together, 1 to 366.
    public var days: Int
    /// The number of days that the strike above the limit blocks bookings, 1 to 366.
    public var blockDays: Int

    /// Creates a limit.
    public init(allowed: Int, days: Int, blockDays: Int) {
        self.allowed = allowed
        self.days = days
        self.blockDays = blockDays
    }

    enum CodingKeys: String, CodingKey {
        case allowed, days
        case blockDays = "block_days"
    }
}

extension StrikeLimit {
    fileprivate init?(row: Row) throws {
        guard let allowed = try row.decode("strikes_allowed", as: Int32?.self) else { return nil }
        self.init(
            allowed: Int(allowed),
            days: Int(try row.decode("strike_days", as: Int32.self)),
            blockDays: Int(try row.decode("block_days", as: Int32.self))
        )
    }
}

/// The time in which members may check in.
public struct CheckInWindow: Codable, Sendable, Equatable {
    /// The number of minutes before the start at which the check-in opens, 0 to 1,440; 60 by default.
    public var minutesBefore: Int
    /// The number of minutes after the start at which the check-in closes, 0 to 1,440; `nil` for the end of the class.
    @Nullable public var minutesAfter: Int?

    /// Creates a window.
    public init(minutesBefore: Int = 60, minutesAfter: Int? = nil) {
        self.minutesBefore = minutesBefore
        self.minutesAfter = minutesAfter
    }

    /// Decodes a window; a missing member has its default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            minutesBefore: try container.decodeIfPresent(Int.self, forKey: .minutesBefore) ?? 60,
            minutesAfter: try container.decodeIfPresent(Int.self, forKey: .minutesAfter)
        )
    }

    enum CodingKeys: String, CodingKey {
        case minutesBefore = "minutes_before"
        case minutesAfter = "minutes_after"
    }
}

/// An operator's definition of a policy.
public struct PolicyDefinition: Decodable, Sendable, Equatable {
    /// The name to show, 1 to 200 characters.
    public var name: String
    /// The deadline for free cancellation; a day before the start by default.
    public var cancellation: CancellationPolicy?
    /// The consequence of a late cancellation; none by default.
    public var lateCancel: Consequence?
    /// The consequence of a no-show; none by default.
    public var noShow: Consequence?
    /// The number of strikes that blocks bookings; by default strikes never block.
    public var strikes: StrikeLimit?
    /// When members may check in; by default from an hour before the start until the end of the class.
    public var checkIn: CheckInWindow?

    enum CodingKeys: String, CodingKey {
        case name, cancellation
        case lateCancel = "late_cancel"
        case noShow = "no_show"
        case strikes
        case checkIn = "check_in"
    }
}

extension PolicyDefinition {
    /// Refuses members of the correct type whose values no policy can have.
    ///
    /// - Returns: The definition.
    /// - Throws: ``WalletError`` 400 `malformed-request`.
    package func checked() throws -> PolicyDefinition {
        try OperatorText.check(self.name, "name", upTo: 200)
        try OperatorNumber.check(
            self.cancellation?.freeMinutesBefore,
            "cancellation.free_minutes_before",
            0...525_600
        )
        try OperatorNumber.check(self.lateCancel?.fee, "late_cancel.fee", 0...1_000_000)
        try OperatorNumber.check(self.noShow?.fee, "no_show.fee", 0...1_000_000)
        try OperatorNumber.check(self.strikes?.allowed, "strikes.allowed", 0...100)
        try OperatorNumber.check(self.strikes?.days, "strikes.days", 1...366)
        try OperatorNumber.check(self.strikes?.blockDays, "strikes.block_days", 1...366)
        try OperatorNumber.check(self.checkIn?.minutesBefore, "check_in.minutes_before", 0...1_440)
        try OperatorNumber.check(self.checkIn?.minutesAfter, "check_in.minutes_after", 0...1_440)
        return self
    }
}

/// A policy in the columns of `admin.policies`.
struct PolicyColumns: Encodable {
    let definition: PolicyDefinition

    private enum CodingKeys: String, CodingKey {
        case name
        case freeMinutesBefore = "free_minutes_before"
        case lateCancelFee = "late_cancel_fee"
        case lateCancelStrike = "late_cancel_strike"
        case noShowFee = "no_show_fee"
        case noShowStrike = "no_show_strike"
        case strikesAllowed = "strikes_allowed"
        case strikeDays = "strike_days"
        case blockDays = "block_days"
        case checkInMinutesBefore = "check_in_minutes_before"
        case checkInMinutesAfter = "check_in_minutes_after"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.definition.name, forKey: .name)
        try container.encodeIfPresent(self.definition.cancellation?.freeMinutesBefore, forKey: .freeMinutesBefore)
        try container.encodeIfPresent(self.definition.lateCancel?.fee, forKey: .lateCancelFee)
        try container.encodeIfPresent(self.definition.lateCancel?.strike, forKey: .lateCancelStrike)
        try container.encodeIfPresent(self.definition.noShow?.fee, forKey: .noShowFee)
        try container.encodeIfPresent(self.definition.noShow?.strike, forKey: .noShowStrike)
        try container.encodeIfPresent(self.definition.strikes?.allowed, forKey: .strikesAllowed)
        try container.encodeIfPresent(self.definition.strikes?.days, forKey: .strikeDays)
        try container.encodeIfPresent(self.definition.strikes?.blockDays, forKey: .blockDays)
        try container.encodeIfPresent(self.definition.checkIn?.minutesBefore, forKey: .checkInMinutesBefore)
        try container.encodeIfPresent(self.definition.checkIn?.minutesAfter, forKey: .checkInMinutesAfter)
    }
}
