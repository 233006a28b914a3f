import Foundation
import Postgres

extension Wallet {
    /// Lists a wallet's ledger entries, the newest first.
    ///
    /// SQL: `views/ledger/ledger.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func transactions(
        of user: UserID,
        in environment: WalletEnvironment,
        page: PageRequest
    ) async throws -> Page<LedgerEntry> {
        let before = try page.cursorNumber()
        let entries = try await self.read(
            """
            SELECT l.version, l.at, l.kind, l.unit::text AS unit, l.amount, l.balance_after, l.lot_id, l.booking_id,
                l.transaction_id, l.reason, l.hash
            FROM wallet.ledger AS l
            WHERE l.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                AND l.environment = \(environment.rawValue)::wallet.environment
                AND l.version < coalesce(\(before), 9223372036854775807)
            ORDER BY l.version DESC
            LIMIT \(page.limit + 1)
            """
        ) { row in
            LedgerEntry(
                version: try row.decode("version"),
                at: try row.decode("at"),
                kind: try row.decode("kind"),
                unit: try row.decodeUnit("unit"),
                amount: try row.decode("amount"),
                balanceAfter: try row.decode("balance_after"),
                lotID: try row.decode("lot_id"),
                bookingID: try row.decode("booking_id"),
                transactionID: try row.decode("transaction_id"),
                reason: try row.decode("reason"),
                hash: try row.decode("hash")
            )
        }
        return Page(entries, limit: page.limit) { ["\($0.version)"] }
    }
}
