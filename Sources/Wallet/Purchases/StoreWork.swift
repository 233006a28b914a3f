public import Foundation
import Postgres
public import Stores

extension Wallet {
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
        if !purchases.isEmpty { try await self.execute("SELECT wallet.await_standby()::text AS done") }
        return purchases
    }

    /// Records that a purchase was acknowledged at the store.
    ///
    /// - Parameter purchase: The purchase.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func acknowledged(_ purchase: UnacknowledgedPurchase) async throws {
        try await self.execute("SELECT wallet.acknowledge_claim(\(purchase.claimID))::text AS done")
    }
}

/// A purchase of an account that can be looked up at its store.
public struct StoreCustomer: Sendable, Equatable {
    /// The account.
    public var accountID: Int64
    /// The account's user; `nil` for a deleted account.
    public var userID: UserID?
    /// The store that sold the purchase.
    public var store: StoreName
    /// The environment of the purchase.
    public var environment: WalletEnvironment
    /// A Boolean value that indicates whether the purchase is a subscription.
    public var isSubscription: Bool
    /// The store's product id.
    public var storeProductID: String
    /// Google Play's token of the purchase.
    public var purchaseToken: String?
    /// A transaction of the purchase; for a subscription the first one, if it is known.
    public var transactionID: String?
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

/// The use of everything that one order of a store granted.
public struct OrderUsage: Sendable, Equatable {
    /// One use of the grant.
    public struct Use: Decodable, Sendable, Equatable {
        /// The time of the use.
        public var at: Date
        /// The booked class, or a visit.
        public var what: String
        /// The amount used.
        public var amount: Int64

        private enum CodingKeys: String, CodingKey {
            case at = "used_at"
            case what
            case amount
        }

        /// Decodes a use; its time is in seconds since 1970, as in the views.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.at = Date(timeIntervalSince1970: try members.decode(Double.self, forKey: .at))
            self.what = try members.decode(String.self, forKey: .what)
            self.amount = try members.decode(Int64.self, forKey: .amount)
        }
    }

    /// The granted amount; 0 without a countable grant.
    public var granted: Int64
    /// The spent amount.
    public var spent: Int64
    /// The uses, the latest first.
    public var uses: [Use]
}

/// A granted purchase that Google Play expects to be acknowledged.
public struct UnacknowledgedPurchase: Sendable, Equatable {
    /// The purchase's id in the books.
    public var claimID: Int64
    /// A Boolean value that indicates whether the purchase is a subscription.
    public var isSubscription: Bool
    /// The store's product id.
    public var storeProductID: String
    /// Google Play's token of the purchase.
    public var purchaseToken: String
}
