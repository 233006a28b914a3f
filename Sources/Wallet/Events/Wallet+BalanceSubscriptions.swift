import Foundation
import Postgres

extension Wallet {
    /// Finds a user's account, opening one for a user never seen.
    ///
    /// SQL: `functions/accounts/caller_account.sql`.
    func account(of caller: Caller) async throws -> Int64 {
        let accounts = try await self.query(
            """
            SELECT wallet.caller_account(
                \(caller.user.rawValue), \(caller.issuedAt), \(caller.isAnonymous)
            ) AS account_id
            """
        ) { row in try row.decode("account_id", as: Int64.self) }
        guard let account = accounts.first else { throw WalletError(status: 500, slug: "internal-error") }
        return account
    }

    /// Reads several wallets at once, in the order asked for.
    ///
    /// SQL: `views/ledger/balances.sql`.
    ///
    /// - Parameter due: The wallets; a user who has another account by now is gone.
    /// - Returns: The update of each.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    func news(of due: [BalanceSubscribers.Due]) async throws -> [BalanceUpdate] {
        let places = try await self.query(
            """
            SELECT t.place, u.account_id, wallet.app_account_token(t.user_id) AS app_account_token,
                \(unescaped: Balance.columns)
            FROM unnest(\(due.map(\.user.rawValue)), \(due.map(\.key.environment.rawValue)))
                WITH ORDINALITY AS t (user_id, environment, place)
            LEFT JOIN wallet.users AS u ON t.user_id = u.user_id
            LEFT JOIN LATERAL (
                SELECT o.* FROM wallet.balances AS o
                WHERE o.account_id = u.account_id AND o.environment = t.environment::wallet.environment
            ) AS b ON TRUE
            ORDER BY t.place
            """
        ) { row in
            let due = due[Int(try row.decode("place", as: Int64.self)) - 1]
            guard try row.decode("account_id", as: Int64?.self) == due.key.accountID else { return BalanceUpdate.gone }
            return .balance(try Balance(row: row, user: due.user, environment: due.key.environment))
        }
        return places
    }
}
