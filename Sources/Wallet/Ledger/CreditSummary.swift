public import Foundation

/// A wallet's current credits, and their totals over the wallet's whole life.
public struct CreditSummary: Sendable {
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// A Boolean value that indicates whether an active plan allows bookings without limit.
    public var unlimited: Bool
    /// The total of credits that came from outside: bought, given or imported.
    public var earned: Int64
    /// The total of credits that bookings took and did not return.
    public var spent: Int64
    /// The spendable credits that a plan rolled over.
    public var rolled: Int64
    /// The upcoming expiries, the next one first.
    public var upcomingExpirations: [Balance.Expiration]
    /// The time at which a plan rolls over next, if one does.
    public var nextRolloverAt: Date?
    /// The time of the first movement of credits; `nil` if there is none.
    public var firstAt: Date?
    /// The time of the last movement of credits; `nil` if there is none.
    public var lastAt: Date?
}
