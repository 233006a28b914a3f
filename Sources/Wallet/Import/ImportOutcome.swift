/// What became of one imported balance.
public struct ImportOutcome: Sendable, Equatable {
    /// How it ended.
    public enum Result: String, Sendable, Encodable {
        /// It was posted, or would be.
        case imported
        /// It was imported before.
        case unchanged
        /// The source says something else than what was imported; nothing was done.
        case changed
        /// It cannot be imported; the reason says why.
        case refused
    }

    /// How it ended.
    public var result: Result
    /// Why it was refused; or of an import, that its history was completed (`balance-repaired`) or left out because the
    /// wallet already had entries (`wallet-in-use`).
    public var reason: String?
    /// How many ledger entries it made.
    public var entries: Int
    /// What the wallet held before.
    public var before: ImportTotals
    /// What it holds after.
    public var after: ImportTotals

    /// Makes an outcome.
    public init(result: Result, reason: String?, entries: Int, before: ImportTotals, after: ImportTotals) {
        self.result = result
        self.reason = reason
        self.entries = entries
        self.before = before
        self.after = after
    }
}

/// Credits and visits, of one wallet or of many together.
public struct ImportTotals: Sendable, Equatable, Encodable {
    /// The credits.
    public var credits: Int64
    /// The visits.
    public var visits: Int64

    /// Makes a pair.
    public init(credits: Int64 = 0, visits: Int64 = 0) {
        self.credits = credits
        self.visits = visits
    }

    /// Adds another pair.
    public static func += (total: inout Self, other: Self) {
        total.credits += other.credits
        total.visits += other.visits
    }
}
