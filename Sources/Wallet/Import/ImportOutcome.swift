/// The result of importing one balance.
public struct ImportOutcome: Sendable, Equatable {
    /// The kind of result.
    public enum Result: String, Sendable, Encodable {
        /// The balance was imported, or would be in a dry run.
        case imported
        /// The balance was imported before.
        case unchanged
        /// The source reports another balance than the one imported before; nothing was changed.
        case changed
        /// The balance cannot be imported; see the reason.
        case refused
    }

    /// The kind of result.
    public var result: Result
    /// The reason for a refusal.
    ///
    /// For an import, a note about its history: completed (`balance-repaired`), or omitted because the wallet already
    /// had entries (`wallet-in-use`).
    public var reason: String?
    /// The number of ledger entries that the import made.
    public var entries: Int
    /// The wallet's balance before the import.
    public var before: ImportTotals
    /// The wallet's balance after the import.
    public var after: ImportTotals

    /// Creates a result.
    public init(result: Result, reason: String?, entries: Int, before: ImportTotals, after: ImportTotals) {
        self.result = result
        self.reason = reason
        self.entries = entries
        self.before = before
        self.after = after
    }
}

/// The credits and visits of one wallet, or the totals of several.
public struct ImportTotals: Sendable, Equatable, Encodable {
    /// The credits.
    public var credits: Int64
    /// The visits.
    public var visits: Int64

    /// Creates a pair.
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
