import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Admits a token's user, unless the account was deleted after the token was issued, or merged into another.
    ///
    /// SQL: `functions/accounts/admission.sql`.
    ///
    /// - Parameter caller: The token's user and the token's claims.
    /// - Throws: ``WalletError`` 401 `unauthenticated`; 503 when the database does not answer.
    public func admit(_ caller: Caller) async throws {
        _ = try await self.ask(
            """
            SELECT wallet.admit_token(
                \(caller.user.rawValue), \(caller.issuedAt), \(caller.isAnonymous), \(caller.user.appAccountToken)
            )::text AS done
            """
        ) { _ in }
    }

    /// Returns whether an administrator has listed a user as a tester, who acts on sandbox wallets.
    ///
    /// The list is read at most once a second, because every request of a user checks it. A change takes effect after
    /// that.
    ///
    /// SQL: `views/instance/instance_facts.sql`.
    ///
    /// - Parameter user: The user; an unknown user is not a tester.
    /// - Returns: A Boolean value that indicates whether the user is a tester.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func isTester(_ user: UserID) async throws -> Bool {
        try await self.testers.contains(user) {
            try await self.ask("SELECT u.user_id FROM wallet.users AS u WHERE u.is_tester") { row in
                UserID(rawValue: try row.decode("user_id"))
            }
        }
    }

    /// Deletes a user's account: removes the user id and all personal text, cancels upcoming bookings, and releases
    /// purchases for a user who proves to possess them.
    ///
    /// SQL: `functions/lifecycle/delete_account.sql`.
    ///
    /// - Parameter caller: The user; an unknown user is no error.
    /// - Throws: ``WalletError`` 401 `unauthenticated` if the caller's token is no longer valid; 503 when the database
    ///   does not answer; the same call may then be repeated.
    public func deleteAccount(of caller: Caller) async throws {
        _ = try await self.query(
            "SELECT wallet.delete_account(\(caller.user.rawValue), \(caller.issuedAt))::text AS done"
        ) { _ in }
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
        _ = try await self.query(
            """
            SELECT wallet.merge_accounts(
                \(anonymous.user.rawValue), \(caller.user.rawValue), \(anonymous.issuedAt), \(caller.issuedAt)
            )::text AS done
            """
        ) { _ in }
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
                unproven: try row.decode("unproven"),
                result: try row.decode("result")
            )
        }
    }
}
