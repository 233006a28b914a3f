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
        let rows = try await self.read(
            """
            SELECT \(unescaped: Balance.columns)
            FROM (SELECT) AS one
            LEFT JOIN wallet.balances AS b
                ON b.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND b.environment = \(environment.rawValue)::wallet.environment
            """
        ) { row in try Balance(row: row, user: user, environment: environment) }
        guard let balance = rows.first else { throw WalletError(status: 500, slug: "internal-error") }
        return balance
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
        let rows = try await self.read(
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
        guard let balance = rows.first else { throw WalletError(status: 500, slug: "internal-error") }
        return balance
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
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for another shape.
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
