public import Foundation
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

/// One entry of a wallet's ledger; a posted entry never changes.
public struct LedgerEntry: Encodable, Sendable {
    /// The entry's number in its wallet: 1, 2, 3 and so on without gaps.
    public var version: Int64
    /// The time of posting.
    public var at: Date
    /// The kind of change: `grant`, `spend`, `return`, `lapse`, `refund` and so on.
    public var kind: String
    /// The unit of the change; `nil` for a booking that an unlimited plan covers.
    @Nullable public var unit: CreditUnit?
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable amount of the unit after the entry.
    public var balanceAfter: Int64
    /// The lot that the entry changed.
    @Nullable public var lotID: UUID?
    /// The booking of the entry.
    @Nullable public var bookingID: UUID?
    /// The store transaction of the entry.
    @Nullable public var transactionID: String?
    /// The administrator's reason.
    @Nullable public var reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public var hash: String

    enum CodingKeys: String, CodingKey {
        case version, at, kind, unit, amount
        case balanceAfter = "balance_after"
        case lotID = "lot_id"
        case bookingID = "booking_id"
        case transactionID = "transaction_id"
        case reason, hash
    }
}
