public import Foundation

/// What a wallet holds at one instant.
public struct Balance: Codable, Sendable, Hashable {
    /// One grant that still holds something.
    public struct Lot: Codable, Sendable, Hashable, Identifiable {
        /// The lot's id, which ``PaymentMethod/lot(_:)`` takes.
        public var lotID: UUID
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// Where it came from: `pack`, `pass`, `plan`, `promo` or `adjustment`.
        public var source: LotSource
        /// The catalogue's product, if it was granted for one.
        public var productID: String?
        /// How much it was granted with.
        public var granted: Int64
        /// How much is left to spend.
        public var remaining: Int64
        /// When what remains lapses; nil for never.
        public var expiresAt: Date?

        /// The identity in a list, ``lotID``.
        public var id: UUID { self.lotID }

        /// Creates a value of the given properties, for previews and tests.
        public init(
            lotID: UUID,
            unit: BalanceUnit,
            source: LotSource,
            productID: String? = nil,
            granted: Int64,
            remaining: Int64,
            expiresAt: Date? = nil
        ) {
            self.lotID = lotID
            self.unit = unit
            self.source = source
            self.productID = productID
            self.granted = granted
            self.remaining = remaining
            self.expiresAt = expiresAt
        }

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
    public struct Expiration: Codable, Sendable, Hashable {
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// How much lapses.
        public var amount: Int64
        /// When it lapses.
        public var expiresAt: Date

        /// Creates a value of the given properties, for previews and tests.
        public init(
            unit: BalanceUnit,
            amount: Int64,
            expiresAt: Date
        ) {
            self.unit = unit
            self.amount = amount
            self.expiresAt = expiresAt
        }

        private enum CodingKeys: String, CodingKey {
            case unit
            case amount
            case expiresAt = "expires_at"
        }
    }

    /// The user whose wallet this is.
    public var userID: String
    /// The UUID to give the store as account token when this user buys.
    public var appAccountToken: UUID
    /// Which of the user's wallets.
    public var environment: WalletEnvironment
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// Whether a live plan books without limit.
    public var unlimited: Bool
    /// Credits owed after a refund of what had been spent.
    public var owedCredits: Int64
    /// Visits owed after a refund of what had been spent.
    public var owedVisits: Int64
    /// The number of ledger entries so far.
    public var version: Int64
    /// The lots that hold something, in the order in which they are spent.
    public var lots: [Lot]
    /// The expiries ahead, soonest first.
    public var upcomingExpirations: [Expiration]
    /// When a plan's visits roll over next, if one does.
    public var nextRolloverAt: Date?
    /// The wallet's instant that this is true for.
    public var asOf: Date

    /// Creates a value of the given properties, for previews and tests.
    public init(
        userID: String,
        appAccountToken: UUID,
        environment: WalletEnvironment,
        credits: Int64,
        visits: Int64,
        unlimited: Bool,
        owedCredits: Int64,
        owedVisits: Int64,
        version: Int64,
        lots: [Lot] = [],
        upcomingExpirations: [Expiration] = [],
        nextRolloverAt: Date? = nil,
        asOf: Date
    ) {
        self.userID = userID
        self.appAccountToken = appAccountToken
        self.environment = environment
        self.credits = credits
        self.visits = visits
        self.unlimited = unlimited
        self.owedCredits = owedCredits
        self.owedVisits = owedVisits
        self.version = version
        self.lots = lots
        self.upcomingExpirations = upcomingExpirations
        self.nextRolloverAt = nextRolloverAt
        self.asOf = asOf
    }

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
