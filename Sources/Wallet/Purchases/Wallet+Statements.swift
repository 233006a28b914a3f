public import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Applies a store's data about one purchase and its owner to the books.
    ///
    /// SQL: `functions/purchases/apply_fact.sql`, for a batch `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameter statement: The store's data.
    /// - Returns: The decision.
    /// - Throws: ``WalletError`` 503 `overloaded` if too many facts wait, otherwise when the database does not answer;
    ///   the same call may then be repeated.
    public func apply(_ statement: StoreEvent.AttributedFact) async throws -> FactOutcome {
        try await self.facts.submit(FactItem(submitter: nil, statement: statement)).outcome
    }

    /// Returns the change that applying a store's data would make, without changing anything.
    ///
    /// SQL: `functions/purchases/compare_statement.sql`.
    ///
    /// - Parameter statement: The store's data.
    /// - Returns: The difference; `nil` for none.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func compare(_ statement: StoreEvent.AttributedFact) async throws -> Difference? {
        let differences = try await self.query(
            "SELECT wallet.compare_statement(\(json: statement)) AS difference"
        ) { row in try row.decode("difference", as: String?.self) }
        return differences.first.flatMap { $0 }.map(Difference.init(rawValue:))
    }

    /// Lists the purchases that a reconciliation looks up at the stores, by account.
    ///
    /// SQL: `views/purchases/store_work.sql`.
    ///
    /// - Parameters:
    ///   - user: The owner of the purchases; `nil` for all users.
    ///   - since: Limits the list to accounts with a purchase that a store has reported since this time; `nil` for all.
    ///   - after: The last account of the previous page; 0 for the first page.
    ///   - limit: The maximum number of accounts.
    /// - Returns: The purchases.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func storeCustomers(
        user: UserID?,
        since: Date?,
        after: Int64,
        limit: Int
    ) async throws -> [StoreCustomer] {
        try await self.query(
            """
            SELECT c.*, c.environment::text AS environment_name FROM wallet.store_customers AS c
            WHERE c.account_id = ANY(ARRAY(
                SELECT DISTINCT k.account_id FROM wallet.store_purchase_owners AS k
                WHERE k.account_id > \(after)
                    AND (\(unescaped: user == nil ? "TRUE OR " : "")k.user_id = \(user?.rawValue))
                    AND k.last_reported_at >= coalesce(\(since), '-infinity'::timestamptz)
                ORDER BY k.account_id
                LIMIT \(limit)
            ))
            ORDER BY c.account_id, c.store, c.chain_id
            """
        ) { row in try StoreCustomer(row: row) }
    }

    /// Returns the granted and the spent amount of a purchase.
    ///
    /// SQL: `views/purchases/store_work.sql`.
    ///
    /// - Parameters:
    ///   - transactionID: The store's transaction id.
    ///   - store: The store.
    ///   - environment: The store's environment.
    /// - Returns: The granted and the spent amount; `nil` for a purchase that granted nothing.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func consumption(
        of transactionID: String,
        in store: StoreName,
        environment: StoreEnvironment
    ) async throws -> (granted: Int64, spent: Int64)? {
        try await self.query(
            """
            SELECT c.granted, c.spent FROM wallet.consumptions AS c
            WHERE c.store = \(store.rawValue) AND c.transaction_id = \(transactionID)
                AND c.environment = \(environment.rawValue)::wallet.environment
            """
        ) { row in (try row.decode("granted", as: Int64.self), try row.decode("spent", as: Int64.self)) }.first
    }

    /// Returns the use of everything that an order granted; `nil` if it granted nothing.
    ///
    /// SQL: `views/purchases/store_work.sql`.
    ///
    /// - Parameters:
    ///   - orderID: The store's order id.
    ///   - store: The store.
    /// - Returns: The granted and the spent amount, and the uses, the latest first.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func usage(ofOrder orderID: String, in store: StoreName) async throws -> OrderUsage? {
        let lots = try await self.query(
            """
            SELECT o.granted, o.spent, o.uses::text AS uses FROM wallet.order_usage AS o
            WHERE o.store = \(store.rawValue) AND o.order_id = \(orderID)
            """
        ) { row in
            let uses: String = try row.decode("uses")
            return OrderUsage(
                granted: try row.decode("granted"),
                spent: try row.decode("spent"),
                uses: try JSONDecoder().decode([OrderUsage.Use].self, from: Data(uses.utf8))
            )
        }
        guard let first = lots.first else { return nil }
        return lots.dropFirst().reduce(first) { sum, lot in
            OrderUsage(
                granted: sum.granted + lot.granted,
                spent: sum.spent + lot.spent,
                uses: (sum.uses + lot.uses).sorted { $0.at > $1.at }
            )
        }
    }

    /// Lists granted purchases that the store expects to be acknowledged, in random order.
    ///
    /// If there is a synchronous standby, it has each of these grants, because an acknowledgement cannot be undone.
    ///
    /// SQL: `views/purchases/store_work.sql`, `functions/instance/await_standby.sql`.
    ///
    /// - Parameter limit: The maximum number of purchases.
    /// - Returns: The purchases.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func unacknowledged(limit: Int) async throws -> [UnacknowledgedPurchase] {
        let purchases = try await self.query(
            "SELECT u.* FROM wallet.unacknowledged AS u ORDER BY random() LIMIT \(limit)"
        ) { row in
            UnacknowledgedPurchase(
                claimID: try row.decode("claim_id"),
                isSubscription: try row.decode("kind", as: String.self) == "subscription",
                storeProductID: try row.decode("store_product_id"),
                purchaseToken: try row.decode("purchase_token")
            )
        }
        if !purchases.isEmpty { _ = try await self.query("SELECT wallet.await_standby()::text AS done") { _ in } }
        return purchases
    }

    /// Records that a purchase was acknowledged at the store.
    ///
    /// - Parameter purchase: The purchase.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func acknowledged(_ purchase: UnacknowledgedPurchase) async throws {
        _ = try await self.query("SELECT wallet.acknowledge_claim(\(purchase.claimID))::text AS done") { _ in }
    }
}

extension StoreCustomer {
    fileprivate init(row: Row) throws {
        self.init(
            accountID: try row.decode("account_id"),
            userID: try row.decode("user_id", as: String?.self).map(UserID.init),
            store: StoreName(rawValue: try row.decode("store")),
            environment: try row.decodeEnvironment("environment_name"),
            isSubscription: try row.decode("kind", as: String.self) == "subscription",
            storeProductID: try row.decode("store_product_id"),
            purchaseToken: try row.decode("purchase_token"),
            transactionID: try row.decode("chain_id")
        )
    }
}
