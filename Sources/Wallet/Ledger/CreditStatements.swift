public import Foundation
import Postgres

extension Wallet {
    /// Returns a user's current credits and their lifetime totals; all are zero for an unknown user.
    ///
    /// SQL: `views/ledger/balances.sql`, `views/ledger/lifetimes.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The credits, without expired amounts.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func creditSummary(of user: UserID, in environment: WalletEnvironment) async throws -> CreditSummary {
        let rows = try await self.read(
            """
            SELECT \(unescaped: Balance.columns), coalesce(t.earned, 0) AS earned, coalesce(t.spent, 0) AS spent,
                coalesce(t.rolled, 0) AS rolled, t.first_at, t.last_at
            FROM (
                SELECT (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue)) AS account_id,
                    \(environment.rawValue)::wallet.environment AS environment
            ) AS q
            LEFT JOIN wallet.lifetimes AS t ON t.account_id = q.account_id AND t.environment = q.environment
            \(unescaped: Balance.joins)
            ORDER BY \(unescaped: Balance.order)
            """
        ) { $0 }
        return try Self.decoding {
            try CreditSummary(Balance(rows: rows, user: user, environment: environment), row: rows[0])
        }
    }

    /// Lists the movements of a wallet's credits, the newest first.
    ///
    /// SQL: `views/ledger/credit_movements.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    ///   - part: The part of the list to return.
    /// - Returns: The part.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func creditMovements(
        of user: UserID,
        in environment: WalletEnvironment,
        part: OffsetRequest
    ) async throws -> OffsetPage<CreditMovement> {
        try await self.part(
            """
            WITH mine AS NOT MATERIALIZED (
                SELECT m.* FROM wallet.credit_movements AS m
                WHERE m.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND m.environment = \(environment.rawValue)::wallet.environment
            )
            SELECT t.total, p.*, p.version IS NOT NULL AS is_found
            FROM (SELECT count(*) AS total FROM (SELECT FROM mine LIMIT \(part.countLimit)) AS c) AS t
            LEFT JOIN (
                (
                    SELECT m.account_id, m.environment, m.version FROM mine AS m
                    ORDER BY m.version DESC LIMIT \(part.limit) OFFSET \(part.offset)
                ) AS k
                INNER JOIN wallet.credit_movements AS p USING (account_id, environment, version)
            ) ON TRUE
            ORDER BY p.version DESC
            """
        ) { row in try CreditMovement(row: row) }
    }
}

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

extension CreditSummary {
    fileprivate init(_ balance: Balance, row: Row) throws {
        self.init(
            credits: balance.credits,
            visits: balance.visits,
            unlimited: balance.unlimited,
            earned: try row.decode("earned"),
            spent: try row.decode("spent"),
            rolled: try row.decode("rolled"),
            upcomingExpirations: balance.upcomingExpirations,
            nextRolloverAt: balance.nextRolloverAt,
            firstAt: try row.decode("first_at"),
            lastAt: try row.decode("last_at")
        )
    }
}

/// A ledger entry about credits, with its purpose.
public struct CreditMovement: Sendable {
    /// The entry's number within its wallet.
    public var version: Int64
    /// The time of posting.
    public var at: Date
    /// The kind of entry, such as `grant`, `spend` or `return`.
    public var kind: String
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable credits after the entry.
    public var balanceAfter: Int64
    /// The lot that the entry changed.
    public var lotID: UUID?
    /// The source of the lot, such as `pack` or `promo`.
    public var source: String?
    /// The booking of the entry.
    public var bookingID: UUID?
    /// The class of the booking.
    public var classTitle: String?
    /// The store transaction of the entry.
    public var transactionID: String?
    /// The product of the lot.
    public var productName: String?
    /// The administrator's reason.
    public var reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public var hash: String
}

extension CreditMovement {
    fileprivate init(row: Row) throws {
        self.init(
            version: try row.decode("version"),
            at: try row.decode("at"),
            kind: try row.decode("kind"),
            amount: try row.decode("amount"),
            balanceAfter: try row.decode("balance_after"),
            lotID: try row.decode("lot_id"),
            source: try row.decode("source"),
            bookingID: try row.decode("booking_id"),
            classTitle: try row.decode("class_title"),
            transactionID: try row.decode("transaction_id"),
            productName: try row.decode("product_name"),
            reason: try row.decode("reason"),
            hash: try row.decode("hash")
        )
    }
}
