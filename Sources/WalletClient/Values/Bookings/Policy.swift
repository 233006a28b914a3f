/// The policy of classes: the consequences of late cancellations and no-shows, in addition to the price.
public struct Policy: Codable, Sendable, Hashable, Identifiable {
    /// The deadline for a cancellation that returns everything.
    public struct Cancellation: Codable, Sendable, Hashable {
        /// The number of minutes before the start.
        public var freeMinutesBefore: Int

        /// Creates a value with the given properties, for previews and tests.
        public init(freeMinutesBefore: Int) {
            self.freeMinutesBefore = freeMinutesBefore
        }

        private enum CodingKeys: String, CodingKey {
            case freeMinutesBefore = "free_minutes_before"
        }
    }

    /// The consequence of a late cancellation or a no-show.
    public struct Consequence: Codable, Sendable, Hashable {
        /// The fee in credits; 0 for none.
        public var fee: Int64
        /// A Boolean value that indicates whether it counts as a strike.
        public var isStrike: Bool

        /// Creates a value with the given properties, for previews and tests.
        public init(fee: Int64 = 0, isStrike: Bool = false) {
            self.fee = fee
            self.isStrike = isStrike
        }

        private enum CodingKeys: String, CodingKey {
            case fee
            case isStrike = "strike"
        }
    }

    /// The number of strikes that blocks bookings.
    public struct StrikeLimit: Codable, Sendable, Hashable {
        /// The number of strikes without a block.
        public var allowed: Int
        /// The number of days in which strikes count together.
        public var days: Int
        /// The number of days that the strike above the limit blocks bookings.
        public var blockDays: Int

        /// Creates a value with the given properties, for previews and tests.
        public init(allowed: Int, days: Int, blockDays: Int) {
            self.allowed = allowed
            self.days = days
            self.blockDays = blockDays
        }

        private enum CodingKeys: String, CodingKey {
            case allowed
            case days
            case blockDays = "block_days"
        }
    }

    /// The time in which members may check in.
    public struct CheckIn: Codable, Sendable, Hashable {
        /// The number of minutes before the start at which the check-in opens.
        public var minutesBefore: Int
        /// The number of minutes after the start at which the check-in closes; nil for the end of the class.
        public var minutesAfter: Int?

        /// Creates a value with the given properties, for previews and tests.
        public init(minutesBefore: Int = 60, minutesAfter: Int? = nil) {
            self.minutesBefore = minutesBefore
            self.minutesAfter = minutesAfter
        }

        private enum CodingKeys: String, CodingKey {
            case minutesBefore = "minutes_before"
            case minutesAfter = "minutes_after"
        }
    }

    /// The policy's id.
    public var policyID: String
    /// The policy's name.
    public var name: String
    /// The deadline for a cancellation that returns everything.
    public var cancellation: Cancellation
    /// The consequence of a late cancellation.
    public var lateCancel: Consequence
    /// The consequence of a no-show.
    public var noShow: Consequence
    /// The number of strikes that blocks bookings; nil if strikes never block.
    public var strikes: StrikeLimit?
    /// The time in which members may check in.
    public var checkIn: CheckIn

    /// The identity in a list, ``policyID``.
    public var id: String { self.policyID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        policyID: String,
        name: String,
        cancellation: Cancellation,
        lateCancel: Consequence = Consequence(),
        noShow: Consequence = Consequence(),
        strikes: StrikeLimit? = nil,
        checkIn: CheckIn = CheckIn()
    ) {
        self.policyID = policyID
        self.name = name
        self.cancellation = cancellation
        self.lateCancel = lateCancel
        self.noShow = noShow
        self.strikes = strikes
        self.checkIn = checkIn
    }

    private enum CodingKeys: String, CodingKey {
        case policyID = "policy_id"
        case name
        case cancellation
        case lateCancel = "late_cancel"
        case noShow = "no_show"
        case strikes
        case checkIn = "check_in"
    }
}
