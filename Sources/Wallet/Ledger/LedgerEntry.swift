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
        try await self.answer(LedgerRead.self, to: LedgerRead.read(of: user, in: environment, page))
    }

    /// Admits a caller and lists the ledger entries of the caller's wallet, the newest first.
    ///
    /// SQL: `views/ledger/ledger.sql`.
    ///
    /// - Parameters:
    ///   - caller: The owner of the wallet.
    ///   - environment: The environment of the wallet.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 401 `unauthenticated`, 503 when the database does not answer.
    public func transactions(
        of caller: Caller,
        in environment: WalletEnvironment,
        page: PageRequest
    ) async throws -> Page<LedgerEntry> {
        let read = try LedgerRead.read(of: caller.user, in: environment, page)
        return try await self.answer(self.ledgers, to: read, of: caller)
    }
}

/// One entry of a wallet's ledger; a posted entry never changes.
public struct LedgerEntry: Sendable {
    /// The entry's number in its wallet: 1, 2, 3 and so on without gaps.
    public var version: Int64
    /// The time of posting.
    public var at: Date
    /// The kind of change: `grant`, `spend`, `return`, `lapse`, `refund` and so on.
    public var kind: String
    /// The unit of the change; `nil` for a booking that an unlimited plan covers.
    public var unit: CreditUnit?
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable amount of the unit after the entry.
    public var balanceAfter: Int64
    /// The lot that the entry changed.
    public var lotID: UUID?
    /// The booking of the entry.
    public var bookingID: UUID?
    /// The store transaction of the entry.
    public var transactionID: String?
    /// The administrator's reason.
    public var reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public var hash: String
}

/// The reads of ledgers, page by page.
enum LedgerRead: UserReadKind {
    static let columns = """
        l.version, l.at, l.kind, l.unit::text AS unit, l.amount, l.balance_after, l.lot_id, l.booking_id,
        l.transaction_id, l.reason, l.hash
        """

    static let joins = """
        LEFT JOIN LATERAL (
            SELECT o.* FROM wallet.ledger AS o
            WHERE o.account_id = q.account_id AND o.environment = q.environment
                AND o.version < coalesce(q.before::bigint, 9223372036854775807)
            ORDER BY o.version DESC
            LIMIT q.row_limit + 1
        ) AS l ON TRUE
        """

    static let order = "l.version DESC"

    static func read(of user: UserID, in environment: WalletEnvironment, _ page: PageRequest) throws -> UserRead {
        let before = try page.cursorNumber().map { "\($0)" }
        return UserRead(user: user, environment: environment, limit: page.limit, before: before)
    }

    static func answer(_ rows: [Row], to read: UserRead) throws -> Page<LedgerEntry> {
        Page(try rows.compactMap { try LedgerEntry(row: $0) }, limit: read.limit) { ["\($0.version)"] }
    }
}

extension LedgerEntry {
    /// Decodes the entry of a row; returns `nil` if the row has none.
    fileprivate init?(row: Row) throws {
        guard let version = try row.decode("version", as: Int64?.self) else { return nil }
        self.init(
            version: version,
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
}
