public import Foundation
import Postgres

extension Wallet {
    /// Admits a caller and lists the caller's passes, the latest granted first.
    ///
    /// SQL: `views/purchases/passes.sql`.
    ///
    /// - Parameters:
    ///   - caller: The owner of the passes.
    ///   - environment: The environment of the caller's wallet.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 401 `unauthenticated`, 503 when the database does not
    ///   answer.
    public func passes(
        of caller: Caller,
        in environment: WalletEnvironment,
        page: PageRequest
    ) async throws -> Page<Pass> {
        let before = try page.cursorUUID()?.uuidString
        let read = UserRead(user: caller.user, environment: environment, limit: page.limit, before: before)
        return try await self.answer(self.passes, to: read, of: caller)
    }

    /// Spends one visit of a pass without a booking, once for each reference.
    ///
    /// SQL: `functions/purchases/consume_pass.sql`.
    ///
    /// - Parameters:
    ///   - transactionID: The purchase of the pass.
    ///   - reference: The app's reference for the visit; a call with the same reference spends nothing more.
    ///   - caller: The owner of the pass.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The remaining visits.
    /// - Throws: ``WalletError``: 401 `unauthenticated`; 403 `account-blocked`; 404 `purchase-not-found`, also for
    ///   another user's purchase; 409 `purchase-without-visits`, `already-consumed`; 503 `wallet-busy`,
    ///   `database-unavailable`.
    public func consumePass(
        _ transactionID: String,
        reference: String,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> ConsumeResult {
        let use = try await self.queryOne(
            """
            SELECT c.* FROM wallet.consume_pass(
                \(accountOf: caller),
                \(environment.rawValue)::wallet.environment, \(transactionID), \(reference)
            ) AS c
            """
        ) { row in
            ConsumeResult(
                isConsumed: try row.decode("is_consumed"),
                remaining: try row.decode("remaining"),
                replayed: try row.decode("replayed")
            )
        }
        self.metrics.noteDebit(of: 1, in: .visit, replayed: use.replayed)
        return use
    }
}

/// A purchase of visits, with the remaining visits and their uses.
public struct Pass: Sendable {
    /// One use of visits.
    public struct Use: Decodable, Sendable {
        /// The paid booking; `nil` for a visit that the app spent without a booking.
        public var bookingID: UUID?
        /// The booking's class.
        public var classID: String?
        /// The class's title.
        public var classTitle: String?
        /// The app's reference for a visit that it spent without a booking.
        public var reference: String?
        /// The number of visits.
        public var amount: Int64
        /// The time of the use.
        public var usedAt: Date

        enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
            case classID = "class_id"
            case classTitle = "class_title"
            case reference, amount
            case usedAt = "used_at"
        }
    }

    /// The id of the lot that holds the visits.
    public var lotID: UUID
    /// The store's transaction id; a bundle may have several passes.
    public var transactionID: String
    /// The catalogue's product id.
    public var productID: String
    /// The product's name.
    public var name: String
    /// The number of granted visits.
    public var granted: Int64
    /// The number of remaining visits.
    public var remaining: Int64
    /// The time of purchase.
    public var purchasedAt: Date
    /// The time at which the remaining visits expire; `nil` for never.
    public var expiresAt: Date?
    /// The time at which the validity started, or the latest start until the first use; `nil` if the purchase started
    /// it.
    public var startsAt: Date?
    /// A Boolean value that indicates whether visits of the pass can still be spent.
    public var isActive: Bool
    /// The uses that were not returned, newest first.
    public var history: [Use]
}

/// The reads of passes, page by page.
enum PassRead: UserReadKind {
    static let columns = "p.*"

    static let joins = """
        LEFT JOIN LATERAL (
            SELECT o.* FROM wallet.passes AS o
            WHERE o.account_id = q.account_id AND o.environment = q.environment
                AND o.lot_id < coalesce(q.before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
            ORDER BY o.lot_id DESC
            LIMIT q.row_limit + 1
        ) AS p ON TRUE
        """

    static let order = "p.lot_id DESC"

    static func answer(_ rows: [Row], to read: UserRead) throws -> Page<Pass> {
        let found = try rows.compactMap { row in
            try row.decode("lot_id", as: UUID?.self).map { (lotID: $0, pass: try Pass(row: row)) }
        }
        let page = Page(found, limit: read.limit) { [$0.lotID.uuidString] }
        return Page(items: page.items.map(\.pass), nextCursor: page.nextCursor)
    }
}

extension Pass {
    fileprivate init(row: Row) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        self.init(
            lotID: try row.decode("lot_id"),
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            name: try row.decode("product_name"),
            granted: try row.decode("granted"),
            remaining: try row.decode("remaining"),
            purchasedAt: try row.decode("purchased_at"),
            expiresAt: try row.decode("expires_at"),
            startsAt: try row.decode("starts_at"),
            isActive: try row.decode("is_active"),
            history: try row.decodeJSON("history", decoder: decoder)
        )
    }
}

/// The state of a pass after a visit was spent.
public struct ConsumeResult: Encodable, Sendable, Equatable {
    /// A Boolean value that indicates whether no visits remain.
    public var isConsumed: Bool
    /// The number of remaining visits.
    public var remaining: Int64
    /// A Boolean value that indicates whether the reference had been used before, so that this call spent nothing.
    public var replayed: Bool

    enum CodingKeys: String, CodingKey {
        case isConsumed = "is_consumed"
        case remaining
    }
}
