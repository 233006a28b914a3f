import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Lets a token's user in, unless the token is from before the account was deleted or merged into another.
    ///
    /// SQL: `functions/accounts/admit_token.sql`.
    ///
    /// - Parameter caller: The token's user, and what the token says.
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

    /// Returns whether an administrator listed a user among those who act on sandbox wallets.
    ///
    /// The list is read once a second at most, since every request of a user asks. A change counts after that.
    ///
    /// SQL: `views/instance/instance_facts.sql`.
    ///
    /// - Parameter user: The user; one never seen is none.
    /// - Returns: Whether the user is a tester.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func isTester(_ user: UserID) async throws -> Bool {
        try await self.testers.contains(user) {
            try await self.ask("SELECT u.user_id FROM wallet.users AS u WHERE u.is_tester") { row in
                UserID(rawValue: try row.decode("user_id"))
            }
        }
    }

    /// Deletes a user's account: the user id and all personal text are gone, upcoming bookings are cancelled, and what
    /// was bought waits for somebody who proves to possess it.
    ///
    /// SQL: `functions/accounts/delete_account.sql`.
    ///
    /// - Parameter caller: The user; one never seen is no error.
    /// - Throws: ``WalletError`` 401 `unauthenticated` where the caller's token speaks for nobody any more; 503 when
    ///   the database does not answer; the same call may then be repeated.
    public func deleteAccount(of caller: Caller) async throws {
        _ = try await self.query(
            "SELECT wallet.delete_account(\(caller.user.rawValue), \(caller.issuedAt))::text AS done"
        ) { _ in }
    }

    /// Merges an anonymous user's account into another's: lots, debts, bookings, purchases and subscriptions.
    ///
    /// SQL: `functions/accounts/merge_accounts.sql`. The caller has checked both tokens.
    ///
    /// - Parameters:
    ///   - anonymous: Whose account is merged; it was never signed in nor merged before.
    ///   - caller: Into whose account.
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

    /// Gives a user back what a deleted account left behind and the user proves to possess.
    ///
    /// SQL: `functions/purchases/restore.sql`.
    ///
    /// - Parameters:
    ///   - caller: Who restores.
    ///   - facts: The purchases that the user proves to possess.
    ///   - appTransactionID: The proven copy of the app, if it was proven.
    /// - Returns: What became of each purchase.
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
