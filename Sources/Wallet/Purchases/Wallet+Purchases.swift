import Foundation
import Postgres

extension Wallet {
    /// Lists a user's store transactions, the latest reported first.
    ///
    /// SQL: `views/purchases/purchases.sql`.
    ///
    /// - Parameters:
    ///   - user: The owner of the purchases.
    ///   - environment: The environment of the user's wallet.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func purchases(
        of user: UserID,
        in environment: WalletEnvironment,
        page: PageRequest
    ) async throws -> Page<Purchase> {
        let before = try page.cursorNumber()
        let found = try await self.read(
            """
            SELECT p.*, p.unit::text AS unit_name FROM wallet.purchases AS p
            WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                AND p.environment = \(environment.rawValue)::wallet.environment
                AND p.claim_id < coalesce(\(before), 9223372036854775807)
            ORDER BY p.claim_id DESC
            LIMIT \(page.limit + 1)
            """
        ) { row in (claimID: try row.decode("claim_id", as: Int64.self), purchase: try Purchase(row: row)) }
        let cut = Page(found, limit: page.limit) { ["\($0.claimID)"] }
        return Page(items: cut.items.map(\.purchase), nextCursor: cut.nextCursor)
    }

    /// Returns one store transaction of a user.
    ///
    /// SQL: `views/purchases/purchases.sql`.
    ///
    /// - Parameters:
    ///   - transactionID: The store's transaction id.
    ///   - user: The owner of the purchase.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The purchase.
    /// - Throws: ``WalletError`` 404 `purchase-not-found`, also for another user's purchase; with the member
    ///   `environment` if the purchase is in the user's other wallet; 503.
    public func purchase(
        _ transactionID: String,
        of user: UserID,
        in environment: WalletEnvironment
    ) async throws -> Purchase {
        let found = try await self.read(
            """
            SELECT p.*, p.unit::text AS unit_name, p.environment::text AS environment_name FROM wallet.purchases AS p
            WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                AND p.transaction_id = \(transactionID)
            ORDER BY p.environment = \(environment.rawValue)::wallet.environment DESC, p.claim_id
            LIMIT 1
            """
        ) { row in
            (environment: try row.decode("environment_name", as: String.self), purchase: try Purchase(row: row))
        }
        guard let found = found.first else { throw WalletError(status: 404, slug: "purchase-not-found") }
        guard found.environment == environment.rawValue else {
            throw WalletError(
                status: 404,
                slug: "purchase-not-found",
                membersJSON: "{\"environment\": \"\(found.environment)\"}"
            )
        }
        return found.purchase
    }
}

extension Purchase {
    fileprivate init(row: Row) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let granted: Int64 = try row.decode("granted")
        let remaining: Int64 = try row.decode("remaining")
        self.init(
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            store: try row.decode("store"),
            status: try row.decode("status"),
            isConsumed: granted > 0 && remaining == 0,
            unit: try row.decodeUnit("unit_name"),
            granted: granted,
            remaining: remaining,
            purchasedAt: try row.decode("purchased_at"),
            usedBy: try row.decodeJSON("used_by", decoder: decoder)
        )
    }
}
