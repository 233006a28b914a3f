public import Foundation
import Postgres

extension Wallet {
    /// Lists a user's passes, the latest granted first.
    ///
    /// SQL: `views/purchases/passes.sql`.
    ///
    /// - Parameters:
    ///   - user: The owner of the passes.
    ///   - environment: The environment of the user's wallet.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func passes(
        of user: UserID,
        in environment: WalletEnvironment,
        page: PageRequest
    ) async throws -> Page<Pass> {
        let before = try page.cursorUUID()
        let found = try await self.read(
            """
            SELECT p.* FROM wallet.passes AS p
            WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                AND p.environment = \(environment.rawValue)::wallet.environment
                AND p.lot_id < coalesce(\(before), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
            ORDER BY p.lot_id DESC
            LIMIT \(page.limit + 1)
            """
        ) { row in (lotID: try row.decode("lot_id", as: UUID.self), pass: try Pass(row: row)) }
        let cut = Page(found, limit: page.limit) { [$0.lotID.uuidString] }
        return Page(items: cut.items.map(\.pass), nextCursor: cut.nextCursor)
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
    ///   another user's purchase; 409 `not-a-pass`, `already-consumed`; 503 `wallet-busy`, `database-unavailable`.
    public func consumePass(
        _ transactionID: String,
        reference: String,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> PassUse {
        let use = try await self.queryOne(
            """
            SELECT c.* FROM wallet.consume_pass(
                \(accountOf: caller),
                \(environment.rawValue)::wallet.environment, \(transactionID), \(reference)
            ) AS c
            """
        ) { row in
            PassUse(
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
public struct Pass: Encodable, Sendable {
    /// One use of visits.
    public struct Use: Codable, Sendable {
        /// The paid booking; `nil` for a visit that the app spent without a booking.
        @Nullable public var bookingID: UUID?
        /// The booking's class.
        @Nullable public var classID: String?
        /// The class's title.
        @Nullable public var classTitle: String?
        /// The app's reference for a visit that it spent without a booking.
        @Nullable public var reference: String?
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

    /// The store's transaction id.
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
    @Nullable public var expiresAt: Date?
    /// A Boolean value that indicates whether visits of the pass can still be spent.
    public var isActive: Bool
    /// The uses that were not returned, newest first.
    public var history: [Use]

    enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case name, granted, remaining
        case purchasedAt = "purchased_at"
        case expiresAt = "expires_at"
        case isActive = "is_active"
        case history
    }
}

extension Pass {
    fileprivate init(row: Row) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        self.init(
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            name: try row.decode("product_name"),
            granted: try row.decode("granted"),
            remaining: try row.decode("remaining"),
            purchasedAt: try row.decode("purchased_at"),
            expiresAt: try row.decode("expires_at"),
            isActive: try row.decode("is_active"),
            history: try row.decodeJSON("history", decoder: decoder)
        )
    }
}

/// The state of a pass after a visit was spent.
public struct PassUse: Encodable, Sendable, Equatable {
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
