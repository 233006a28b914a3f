import Foundation
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
            SELECT coalesce(b.credits, 0) AS credits, coalesce(b.visits, 0) AS visits,
                coalesce(b.unlimited, FALSE) AS unlimited, coalesce(l.earned, 0) AS earned,
                coalesce(l.spent, 0) AS spent, coalesce(l.rolled, 0) AS rolled,
                coalesce(b.upcoming_expirations, '[]') AS upcoming_expirations, b.next_rollover_at,
                l.first_at, l.last_at
            FROM (SELECT) AS one
            LEFT JOIN wallet.balances AS b
                ON b.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND b.environment = \(environment.rawValue)::wallet.environment
            LEFT JOIN wallet.lifetimes AS l
                ON l.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND l.environment = \(environment.rawValue)::wallet.environment
            """
        ) { row in try CreditSummary(row: row) }
        guard let standing = rows.first else { throw WalletError(status: 500, slug: "internal-error") }
        return standing
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

    /// Lists a user's purchases of packs, the latest reported first.
    ///
    /// SQL: `views/purchases/pack_purchases.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    ///   - part: The part of the list to return.
    /// - Returns: The part.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func packPurchases(
        of user: UserID,
        in environment: WalletEnvironment,
        part: OffsetRequest
    ) async throws -> OffsetPage<PackPurchase> {
        try await self.part(
            """
            WITH mine AS NOT MATERIALIZED (
                SELECT p.* FROM wallet.pack_purchases AS p
                WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND p.environment = \(environment.rawValue)::wallet.environment
            )
            SELECT t.total, p.*, p.claim_id IS NOT NULL AS is_found
            FROM (SELECT count(*) AS total FROM (SELECT FROM mine LIMIT \(part.countLimit)) AS c) AS t
            LEFT JOIN (
                SELECT m.* FROM mine AS m ORDER BY m.claim_id DESC LIMIT \(part.limit) OFFSET \(part.offset)
            ) AS p ON TRUE
            ORDER BY p.claim_id DESC
            """
        ) { row in try PackPurchase(row: row) }
    }

    /// Reads a part of a list; every row contains the total, and the query returns one row even for an empty part.
    func part<Item: Sendable>(_ query: Query, _ read: (Row) throws -> Item) async throws -> OffsetPage<Item> {
        let rows = try await self.read(query) { row in
            (
                total: Int(try row.decode("total", as: Int64.self)),
                item: try row.decode("is_found", as: Bool.self) ? try read(row) : nil
            )
        }
        return OffsetPage(items: rows.compactMap(\.item), total: rows.first?.total ?? 0)
    }
}

extension CreditSummary {
    fileprivate init(row: Row) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        self.init(
            credits: try row.decode("credits"),
            visits: try row.decode("visits"),
            unlimited: try row.decode("unlimited"),
            earned: try row.decode("earned"),
            spent: try row.decode("spent"),
            rolled: try row.decode("rolled"),
            upcomingExpirations: try row.decodeJSON("upcoming_expirations", decoder: decoder),
            nextRolloverAt: try row.decode("next_rollover_at"),
            firstAt: try row.decode("first_at"),
            lastAt: try row.decode("last_at")
        )
    }
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

extension PackPurchase {
    fileprivate init(row: Row) throws {
        self.init(
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            name: try row.decode("name"),
            description: try row.decode("description"),
            granted: try row.decode("granted"),
            bonus: try row.decode("bonus"),
            paidMinor: try row.decode("paid_minor"),
            currency: try row.decode("currency"),
            status: try row.decode("status"),
            purchasedAt: try row.decode("purchased_at"),
            updatedAt: try row.decode("updated_at")
        )
    }
}
