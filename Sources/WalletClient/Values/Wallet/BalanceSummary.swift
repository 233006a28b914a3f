/// The balance of a wallet after an operation.
public struct BalanceSummary: Codable, Sendable, Hashable {
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// The number of ledger entries so far.
    public var version: Int64

    /// Creates a value with the given properties, for previews and tests.
    public init(
        credits: Int64,
        visits: Int64,
        version: Int64
    ) {
        self.credits = credits
        self.visits = visits
        self.version = version
    }
}
