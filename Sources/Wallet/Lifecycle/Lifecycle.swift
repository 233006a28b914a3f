import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Deletes a user's account: removes the user id and all personal text, cancels upcoming bookings, and releases
    /// purchases for a user who proves to possess them.
    ///
    /// SQL: `functions/lifecycle/delete_account.sql`.
    ///
    /// - Parameter caller: The user; an unknown user is no error.
    /// - Throws: ``WalletError`` 401 `unauthenticated` if the caller's token is no longer valid; 503 when the database
    ///   does not answer; the same call may then be repeated.
    public func deleteAccount(of caller: Caller) async throws {
        try await self.execute(
            "SELECT wallet.delete_account(\(caller.user.rawValue), \(caller.issuedAt))::text AS done"
        )
    }

    /// Merges an anonymous user's account into another user's account: lots, debts, bookings, purchases and
    /// subscriptions.
    ///
    /// SQL: `functions/lifecycle/merge_accounts.sql`. The calling code has checked both tokens.
    ///
    /// - Parameters:
    ///   - anonymous: The user whose account is merged; must never have signed in, and must not be merged into another
    ///     account.
    ///   - caller: The user whose account receives everything.
    /// - Throws: ``WalletError`` 401 `unauthenticated`; 403 `not-mergeable`; 503 when the database does not answer.
    public func merge(_ anonymous: Caller, into caller: Caller) async throws {
        try await self.execute(
            """
            SELECT wallet.merge_accounts(
                \(anonymous.user.rawValue), \(caller.user.rawValue), \(anonymous.issuedAt), \(caller.issuedAt)
            )::text AS done
            """
        )
    }

    /// Restores purchases that a deleted account left behind, for a user who proves to possess them.
    ///
    /// SQL: `functions/lifecycle/restore.sql`.
    ///
    /// - Parameters:
    ///   - caller: The user who restores.
    ///   - facts: The purchases that the user proves to possess.
    ///   - appTransactionID: The app transaction of the user's copy of the app, if the user proved to possess it.
    /// - Returns: The result for each purchase.
    /// - Throws: ``WalletError`` 503 when the database does not answer; the same call may then be repeated.
    public func restore(
        for caller: Caller,
        facts: [StoreFact],
        appTransactionID: String?
    ) async throws -> [RestoredPurchase] {
        try await self.query(
            """
            SELECT r.*, r.unit::text AS unit_name FROM wallet.restore(
                \(accountOf: caller),
                \(json: facts), \(appTransactionID)
            ) AS r
            """
        ) { row in
            RestoredPurchase(
                transactionID: try row.decode("transaction_id"),
                productID: try row.decode("product_id"),
                unit: try row.decodeUnit("unit_name"),
                amount: try row.decode("amount"),
                remaining: try row.decode("remaining"),
                lots: try row.decodeLots(),
                unproven: try row.decode("unproven"),
                result: try row.decode("result")
            )
        }
    }
}

/// The result of restoring one purchase that a user proved to possess.
public struct RestoredPurchase: Sendable, Equatable {
    /// The store's transaction id, if there is one.
    public var transactionID: String?
    /// The catalogue's product id, if the catalogue has the product.
    public var productID: String?
    /// The unit of the grant; `nil` for a plan without a countable grant.
    public var unit: CreditUnit?
    /// The granted amount.
    public var amount: Int64
    /// The remaining amount.
    public var remaining: Int64
    /// All lots that the purchase granted; for a bundle, the members above are those of the first one.
    public var lots: [PurchaseLot]
    /// The number of purchases of the same former account that have a remaining amount and were not proven.
    public var unproven: Int64
    /// `restored`, `held` (the purchase already belonged to the user), `granted` (now, for the first time), or the
    /// reason for a failure.
    public var result: String

    /// A Boolean value that indicates whether the purchase now belongs to the user.
    public var isHeld: Bool {
        ["restored", "held", "granted"].contains(self.result)
    }
}
