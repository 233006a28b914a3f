public import Foundation

/// What a wallet holds at one instant.
public struct Balance: Decodable, Sendable, Equatable {
    /// One grant that still holds something.
    public struct Lot: Decodable, Sendable, Equatable {
        /// The lot's id, which ``WalletClient/book(classID:seats:payWith:maxAmount:idempotencyKey:)`` takes to pay with.
        public let lotID: UUID
        /// `credit` or `visit`.
        public let unit: String
        /// Where it came from: `pack`, `pass`, `plan`, `promo` or `adjustment`.
        public let source: String
        /// The catalogue's product, if it was granted for one.
        public let productID: String?
        /// How much it was granted with.
        public let granted: Int64
        /// How much is left to spend.
        public let remaining: Int64
        /// When what remains lapses; nil for never.
        public let expiresAt: Date?

        private enum CodingKeys: String, CodingKey {
            case lotID = "lot_id"
            case unit
            case source
            case productID = "product_id"
            case granted
            case remaining
            case expiresAt = "expires_at"
        }
    }

    /// What will lapse at one instant.
    public struct Expiration: Decodable, Sendable, Equatable {
        /// `credit` or `visit`.
        public let unit: String
        /// How much lapses.
        public let amount: Int64
        /// When it lapses.
        public let expiresAt: Date

        private enum CodingKeys: String, CodingKey {
            case unit
            case amount
            case expiresAt = "expires_at"
        }
    }

    /// The user whose wallet this is.
    public let userID: String
    /// The UUID to give the store as account token when this user buys.
    public let appAccountToken: UUID
    /// Which of the user's wallets.
    public let environment: WalletEnvironment
    /// Spendable credits.
    public let credits: Int64
    /// Spendable visits.
    public let visits: Int64
    /// Whether a live plan books without limit.
    public let unlimited: Bool
    /// Credits owed after a refund of what had been spent.
    public let owedCredits: Int64
    /// Visits owed after a refund of what had been spent.
    public let owedVisits: Int64
    /// The number of ledger entries so far.
    public let version: Int64
    /// The lots that hold something, in the order in which they are spent.
    public let lots: [Lot]
    /// The expiries ahead, soonest first.
    public let upcomingExpirations: [Expiration]
    /// When a plan's visits roll over next, if one does.
    public let nextRolloverAt: Date?
    /// The wallet's instant that this is true for.
    public let asOf: Date

    private enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case appAccountToken = "app_account_token"
        case environment
        case credits
        case visits
        case unlimited
        case owedCredits = "owed_credits"
        case owedVisits = "owed_visits"
        case version
        case lots
        case upcomingExpirations = "upcoming_expirations"
        case nextRolloverAt = "next_rollover_at"
        case asOf = "as_of"
    }
}

/// What a wallet holds after an operation.
public struct BalanceSummary: Decodable, Sendable, Equatable {
    /// Spendable credits.
    public let credits: Int64
    /// Spendable visits.
    public let visits: Int64
    /// The number of ledger entries so far.
    public let version: Int64
}
