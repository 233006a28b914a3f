public import Foundation

/// The balance of a wallet at one instant.
public struct Balance: Codable, Sendable, Hashable {
    /// A grant with a remaining amount.
    public struct Lot: Codable, Sendable, Hashable, Identifiable {
        /// The lot's id, for ``PaymentMethod/lot(_:)``.
        public var lotID: UUID
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// The source of the grant: `pack`, `pass`, `plan`, `promo` or `adjustment`.
        public var source: LotSource
        /// The catalogue's product id; nil if the lot was not granted for a product.
        public var productID: String?
        /// The amount that was granted.
        public var granted: Int64
        /// The amount that is left.
        public var remaining: Int64
        /// The instant at which the remaining amount expires; nil if it never expires.
        public var expiresAt: Date?

        /// The identity in a list, ``lotID``.
        public var id: UUID { self.lotID }

        /// Creates a value with the given properties, for previews and tests.
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

    /// An amount that will expire at one instant.
    public struct Expiration: Codable, Sendable, Hashable {
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// The amount.
        public var amount: Int64
        /// The instant of the expiry.
        public var expiresAt: Date

        /// Creates a value with the given properties, for previews and tests.
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

    /// The user who owns the wallet.
    public var userID: String
    /// The UUID that the app passes to the store as account token when this user buys.
    public var appAccountToken: UUID
    /// The user's wallet that this balance describes.
    public var environment: WalletEnvironment
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// A Boolean value that indicates whether an active plan books without limit.
    public var isUnlimited: Bool
    /// Credits that the user owes because a refunded purchase was already spent.
    public var owedCredits: Int64
    /// Visits that the user owes because a refunded purchase was already spent.
    public var owedVisits: Int64
    /// The number of ledger entries so far.
    public var version: Int64
    /// The lots with a remaining amount, in the order in which they are spent.
    public var lots: [Lot]
    /// The upcoming expiries, soonest first.
    public var upcomingExpirations: [Expiration]
    /// The instant at which a plan's visits next roll over; nil if none do.
    public var nextRolloverAt: Date?
    /// The instant at which the balance is valid, by the wallet's clock.
    public var asOf: Date

    /// Creates a value with the given properties, for previews and tests.
    public init(
        userID: String,
        appAccountToken: UUID,
        environment: WalletEnvironment,
        credits: Int64,
        visits: Int64,
        isUnlimited: Bool,
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
        self.isUnlimited = isUnlimited
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
        case isUnlimited = "unlimited"
        case owedCredits = "owed_credits"
        case owedVisits = "owed_visits"
        case version
        case lots
        case upcomingExpirations = "upcoming_expirations"
        case nextRolloverAt = "next_rollover_at"
        case asOf = "as_of"
    }
}
