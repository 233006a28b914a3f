import Foundation
import Postgres

extension Wallet {
    /// Returns a user's account and opens one for a new user.
    ///
    /// SQL: `functions/accounts/admission.sql`.
    func account(of caller: Caller) async throws -> Int64 {
        let accounts = try await self.query(
            "SELECT \(accountOf: caller) AS account_id"
        ) { row in try row.decode("account_id", as: Int64.self) }
        guard let account = accounts.first else { throw WalletError(status: 500, slug: "internal-error") }
        return account
    }

    /// Reads several wallets at once, in the given order.
    ///
    /// SQL: `views/ledger/balances.sql`.
    ///
    /// - Parameter due: The wallets; a user who has another account by now is reported as gone.
    /// - Returns: The update for each wallet.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    func balances(of due: [BalanceSubscribers.Due]) async throws -> [BalanceUpdate] {
        let places = try await self.query(
            """
            SELECT t.place, u.account_id, \(unescaped: Balance.columns)
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

    /// Reads which of the followed wallets have changed.
    ///
    /// SQL: `functions/events/followed_changes.sql`.
    ///
    /// - Parameters:
    ///   - accounts: The accounts of the followed wallets.
    ///   - since: ``FollowedChanges/until`` of the previous result; `nil` for the first query.
    ///   - limit: The maximum number of events to check; if there are more, the result is not complete.
    /// - Returns: The wallets that have changed, and the point up to which changes were checked.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    func changes(of accounts: [Int64], since: String?, limit: Int) async throws -> FollowedChanges {
        let answers = try await self.query(
            """
            SELECT c.until::TEXT AS until, c.is_complete, c.account_ids, c.environments
            FROM wallet.followed_changes(\(accounts), \(since)::TEXT::XID8, \(Int32(clamping: limit))) AS c
            """
        ) { row in
            let accountIDs = try row.decode("account_ids", as: [Int64].self)
            let environments = try row.decode("environments", as: [String].self)
            let wallets = zip(accountIDs, environments).compactMap { accountID, environment in
                WalletEnvironment(rawValue: environment).map {
                    BalanceSubscribers.Key(accountID: accountID, environment: $0)
                }
            }
            return FollowedChanges(
                until: try row.decode("until"),
                isComplete: try row.decode("is_complete"),
                wallets: wallets
            )
        }
        guard let changes = answers.first else { throw WalletError(status: 500, slug: "internal-error") }
        return changes
    }
}
