import Crypto
public import Foundation

/// All that a wallet holds at one instant, due expiries already subtracted.
public struct Balance: Encodable, Sendable {
    /// One grant that still holds something.
    public struct Lot: Encodable, Sendable {
        /// The lot's id.
        @WireUUID public var lotID: UUID
        /// What it holds.
        public var unit: CreditUnit
        /// Where it came from: `pack`, `pass`, `plan`, `promo` or `adjustment`.
        public var source: String
        /// The catalogue product that it was granted for, if any.
        @Nullable public var productID: String?
        /// How much it was granted with.
        public var granted: Int64
        /// How much is left to spend.
        public var remaining: Int64
        /// When what remains lapses; nil for never.
        @Nullable public var expiresAt: Date?

        enum CodingKeys: String, CodingKey {
            case lotID = "lot_id"
            case unit, source
            case productID = "product_id"
            case granted, remaining
            case expiresAt = "expires_at"
        }
    }

    /// What will lapse at one instant.
    public struct Expiration: Codable, Sendable {
        /// What lapses.
        public var unit: CreditUnit
        /// How much lapses.
        public var amount: Int64
        /// When it lapses.
        public var expiresAt: Date

        enum CodingKeys: String, CodingKey {
            case unit, amount
            case expiresAt = "expires_at"
        }
    }

    /// The user whose wallet this is.
    public var userID: String
    /// The UUID that the app passes to the store as account token when this user buys.
    @WireUUID public var appAccountToken: UUID
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
    /// The number of ledger entries so far; grows by one with each.
    public var version: Int64
    /// The lots that hold something, in the order in which they are spent.
    public var lots: [Lot]
    /// The expiries ahead, soonest first.
    public var upcomingExpirations: [Expiration]
    /// When a plan's visits roll over next, if one does.
    @Nullable public var nextRolloverAt: Date?
    /// The wallet clock's instant that this is true for.
    public var asOf: Date
    /// The last expiry boundary passed; with the version it names this state.
    public var lastBoundary: Date?

    /// The entity tag of this state: equal tags mean equal balances, whichever user has them, and reveal nothing else.
    ///
    /// An account that was deleted and opened again counts its entries again: what distinguishes the two is their lots.
    public var entityTag: String {
        var hash = SHA256()
        func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { hash.update(bufferPointer: $0) } }
        add(Int64(self.userID.utf8.count))
        hash.update(data: Array(self.userID.utf8))
        add(self.environment == .sandbox ? 1 : 0)
        add(self.version)
        for amount in [self.credits, self.visits, self.owedCredits, self.owedVisits] { add(amount) }
        add(self.unlimited ? 1 : 0)
        add(self.nextRolloverAt.map(Self.microseconds) ?? 0)
        add(self.lastBoundary.map(Self.microseconds) ?? 0)
        for lot in self.lots { withUnsafeBytes(of: lot.lotID.uuid) { hash.update(bufferPointer: $0) } }
        let tag = Data(hash.finalize().prefix(16)).base64EncodedString()
        return "\"\(tag.prefix(22).replacing("+", with: "-").replacing("/", with: "_"))\""
    }

    /// Instants to the database's own precision: two expiries of one second are two boundaries.
    private static func microseconds(_ instant: Date) -> Int64 {
        Int64((instant.timeIntervalSince1970 * 1_000_000).rounded())
    }

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case appAccountToken = "app_account_token"
        case environment, credits, visits, unlimited
        case owedCredits = "owed_credits"
        case owedVisits = "owed_visits"
        case version, lots
        case upcomingExpirations = "upcoming_expirations"
        case nextRolloverAt = "next_rollover_at"
        case asOf = "as_of"
    }
}

/// Returns what a wallet holds after an operation.
public struct BalanceSummary: Encodable, Sendable, Equatable {
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// The number of ledger entries so far.
    public var version: Int64
}
