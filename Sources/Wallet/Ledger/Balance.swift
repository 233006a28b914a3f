import Crypto
public import Foundation
import Postgres

extension Wallet {
    /// Returns the current balance of a user's wallet; the balance of an unknown user is zero.
    ///
    /// SQL: `views/ledger/balances.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The balance, without expired amounts.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func balance(of user: UserID, in environment: WalletEnvironment) async throws -> Balance {
        try await self.readOne(
            """
            SELECT \(unescaped: Balance.columns)
            FROM (SELECT) AS one
            LEFT JOIN wallet.balances AS b
                ON b.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND b.environment = \(environment.rawValue)::wallet.environment
            """
        ) { row in try Balance(row: row, user: user, environment: environment) }
    }

    /// Returns the future balance of a user's wallet, with expiries and known renewals, if the user buys, books and
    /// cancels nothing until then.
    ///
    /// SQL: `functions/subscriptions/forecast.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    ///   - instant: The future time.
    /// - Returns: The balance at that time.
    /// - Throws: ``WalletError`` 400 `forecast-out-of-range`; 503 when the database does not answer.
    public func forecast(of user: UserID, in environment: WalletEnvironment, at instant: Date) async throws -> Balance {
        try await self.readOne(
            """
            SELECT \(unescaped: Balance.columns)
            FROM (
                SELECT f.*, NULL::timestamptz AS last_boundary FROM wallet.forecast(
                    (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue)),
                    \(environment.rawValue)::wallet.environment, \(instant)
                ) AS f
            ) AS b
            """
        ) { row in try Balance(row: row, user: user, environment: environment) }
    }
}

/// A wallet's balance at one instant, without expired amounts.
public struct Balance: Encodable, Sendable {
    /// A grant with a remaining amount.
    public struct Lot: Encodable, Sendable {
        /// The lot's id.
        @WireUUID public var lotID: UUID
        /// The unit of the lot.
        public var unit: CreditUnit
        /// The source of the lot: `pack`, `pass`, `plan`, `promo` or `adjustment`.
        public var source: String
        /// The catalogue product of the grant, if any.
        @Nullable public var productID: String?
        /// The granted amount.
        public var granted: Int64
        /// The spendable amount.
        public var remaining: Int64
        /// The time at which the remaining amount expires; `nil` for never.
        @Nullable public var expiresAt: Date?

        enum CodingKeys: String, CodingKey {
            case lotID = "lot_id"
            case unit, source
            case productID = "product_id"
            case granted, remaining
            case expiresAt = "expires_at"
        }
    }

    /// An amount that will expire at one instant.
    public struct Expiration: Codable, Sendable {
        /// The unit of the amount.
        public var unit: CreditUnit
        /// The amount that will expire.
        public var amount: Int64
        /// The time of expiry.
        public var expiresAt: Date

        enum CodingKeys: String, CodingKey {
            case unit, amount
            case expiresAt = "expires_at"
        }
    }

    /// The user whose wallet this is.
    public var userID: String
    /// The UUID that the app passes to the store as the account token when this user buys.
    @WireUUID public var appAccountToken: UUID
    /// The environment of the user's wallet.
    public var environment: WalletEnvironment
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// A Boolean value that indicates whether an active plan allows bookings without limit.
    public var unlimited: Bool
    /// Credits that the wallet owes after a refund of spent credits.
    public var owedCredits: Int64
    /// Visits that the wallet owes after a refund of spent visits.
    public var owedVisits: Int64
    /// The number of ledger entries; each entry increases it by one.
    public var version: Int64
    /// The lots with a remaining amount, in the order in which they will be spent.
    public var lots: [Lot]
    /// The upcoming expiries, the next one first.
    public var upcomingExpirations: [Expiration]
    /// The time at which a plan's visits roll over next, if one does.
    @Nullable public var nextRolloverAt: Date?
    /// The time of the wallet clock for which this balance is valid.
    public var asOf: Date
    /// The last expiry boundary that has passed; together with the version it identifies this state.
    public var lastBoundary: Date?

    /// The entity tag of this state: equal tags mean equal balances, and a tag reveals nothing about a balance.
    ///
    /// If an account was deleted and opened again, its version starts at 1 again. The lots distinguish the two
    /// accounts.
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

    /// Returns an instant with the database's precision, because two expiries in one second are two boundaries.
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

extension Balance {
    /// The columns for ``init(row:user:environment:)``, from a `wallet.balances` named `b` that may have no row.
    static let columns = """
        coalesce(b.credits, 0) AS credits, coalesce(b.visits, 0) AS visits, coalesce(b.unlimited, FALSE) AS unlimited,
        coalesce(b.owed_credits, 0) AS owed_credits, coalesce(b.owed_visits, 0) AS owed_visits,
        coalesce(b.version, 0) AS version, coalesce(b.lots, '[]') AS lots,
        coalesce(b.upcoming_expirations, '[]') AS upcoming_expirations, b.next_rollover_at,
        coalesce(b.as_of, wallet.now()) AS as_of, b.last_boundary
        """

    init(row: Row, user: UserID, environment: WalletEnvironment) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        self.init(
            userID: user.rawValue,
            appAccountToken: user.appAccountToken,
            environment: environment,
            credits: try row.decode("credits"),
            visits: try row.decode("visits"),
            unlimited: try row.decode("unlimited"),
            owedCredits: try row.decode("owed_credits"),
            owedVisits: try row.decode("owed_visits"),
            version: try row.decode("version"),
            lots: try row.decodeJSON("lots", decoder: decoder),
            upcomingExpirations: try row.decodeJSON("upcoming_expirations", decoder: decoder),
            nextRolloverAt: try row.decode("next_rollover_at"),
            asOf: try row.decode("as_of"),
            lastBoundary: try row.decode("last_boundary")
        )
    }
}

extension Balance.Lot: Decodable {
    /// Decodes a lot from the JSON of `wallet.balances`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            lotID: try container.decode(UUID.self, forKey: .lotID),
            unit: try container.decode(CreditUnit.self, forKey: .unit),
            source: try container.decode(String.self, forKey: .source),
            productID: try container.decodeIfPresent(String.self, forKey: .productID),
            granted: try container.decode(Int64.self, forKey: .granted),
            remaining: try container.decode(Int64.self, forKey: .remaining),
            expiresAt: try container.decodeIfPresent(Date.self, forKey: .expiresAt)
        )
    }
}

/// A wallet's balance after an operation.
public struct BalanceSummary: Encodable, Sendable, Equatable {
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// The number of ledger entries.
    public var version: Int64
}

extension BalanceSummary {
    init(row: Row) throws {
        self.init(
            credits: try row.decode("credits"),
            visits: try row.decode("visits"),
            version: try row.decode("version")
        )
    }
}
