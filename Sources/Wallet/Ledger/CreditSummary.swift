public import Foundation

/// Returns what a wallet's credits are now and what they came to over its whole life.
public struct CreditSummary: Sendable {
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// Whether a live plan books without limit.
    public var unlimited: Bool
    /// Credits that ever came in from outside: bought, given, imported.
    public var earned: Int64
    /// Credits that bookings took and did not give back.
    public var spent: Int64
    /// Spendable credits that a plan rolled over.
    public var rolled: Int64
    /// The expiries ahead, soonest first.
    public var upcomingExpirations: [Balance.Expiration]
    /// When a plan rolls over next, if one does.
    public var nextRolloverAt: Date?
    /// When the first credit moved; nil while none did.
    public var firstAt: Date?
    /// When a credit moved last; nil while none did.
    public var lastAt: Date?
}
