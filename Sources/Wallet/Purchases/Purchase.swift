public import Foundation
import Postgres

extension Wallet {
    /// Lists a user's store transactions, the latest reported first.
    ///
    /// SQL: `views/purchases/purchases.sql`.
    ///
    /// - Parameters:
    ///   - user: The owner of the purchases.
    ///   - environment: The environment of the user's wallet.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func purchases(
        of user: UserID,
        in environment: WalletEnvironment,
        page: PageRequest
    ) async throws -> Page<Purchase> {
        let before = try page.cursorNumber()
        let found = try await self.read(
            Self.purchases(of: user, in: environment, before: before, limit: page.limit + 1)
        ) { row in (claimID: try row.decode("claim_id", as: Int64.self), purchase: try Purchase(row: row)) }
        let cut = Page(found, limit: page.limit) { ["\($0.claimID)"] }
        return Page(items: cut.items.map(\.purchase), nextCursor: cut.nextCursor)
    }

    /// The statement of a page of purchases, whose plans `sql/tests/rules/user_reads.sql` checks.
    static func purchases(
        of user: UserID,
        in environment: WalletEnvironment,
        before: Int64?,
        limit: Int
    ) -> Query {
        """
        SELECT p.*, p.unit::text AS unit_name FROM wallet.purchases AS p
        WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
            AND p.environment = \(environment.rawValue)::wallet.environment
            AND p.claim_id < coalesce(\(before), 9223372036854775807)
        ORDER BY p.claim_id DESC
        LIMIT \(limit)
        """
    }

    /// Returns one store transaction of a user.
    ///
    /// SQL: `views/purchases/purchases.sql`.
    ///
    /// - Parameters:
    ///   - transactionID: The store's transaction id.
    ///   - user: The owner of the purchase.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The purchase.
    /// - Throws: ``WalletError`` 404 `purchase-not-found`, also for another user's purchase; with the member
    ///   `environment` if the purchase is in the user's other wallet; 503.
    public func purchase(
        _ transactionID: String,
        of user: UserID,
        in environment: WalletEnvironment
    ) async throws -> Purchase {
        let found = try await self.read(
            """
            SELECT p.*, p.unit::text AS unit_name, p.environment::text AS environment_name FROM wallet.purchases AS p
            WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                AND p.transaction_id = \(transactionID)
            ORDER BY p.environment = \(environment.rawValue)::wallet.environment DESC, p.claim_id
            LIMIT 1
            """
        ) { row in
            (environment: try row.decode("environment_name", as: String.self), purchase: try Purchase(row: row))
        }
        guard let found = found.first else { throw WalletError(status: 404, slug: "purchase-not-found") }
        guard found.environment == environment.rawValue else {
            throw WalletError(
                status: 404,
                slug: "purchase-not-found",
                membersJSON: "{\"environment\": \"\(found.environment)\"}"
            )
        }
        return found.purchase
    }

    /// Lists a user's purchases of packs, the latest reported first.
    ///
    /// SQL: `views/purchases/pack_purchases.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    ///   - part: The part of the list to return.
    /// - Returns: The part.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func packPurchases(
        of user: UserID,
        in environment: WalletEnvironment,
        part: OffsetRequest
    ) async throws -> OffsetPage<PackPurchase> {
        try await self.part(
            """
            WITH mine AS NOT MATERIALIZED (
                SELECT p.* FROM wallet.pack_purchases AS p
                WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND p.environment = \(environment.rawValue)::wallet.environment
            )
            SELECT t.total, p.*, p.claim_id IS NOT NULL AS is_found
            FROM (SELECT count(*) AS total FROM (SELECT FROM mine LIMIT \(part.countLimit)) AS c) AS t
            LEFT JOIN (
                SELECT m.* FROM mine AS m ORDER BY m.claim_id DESC LIMIT \(part.limit) OFFSET \(part.offset)
            ) AS p ON TRUE
            ORDER BY p.claim_id DESC
            """
        ) { row in try PackPurchase(row: row) }
    }
}

/// A store transaction of an account and the state of its grant.
public struct Purchase: Encodable, Sendable {
    /// A booking or visit that the purchase paid for, wholly or in part.
    public struct Use: Codable, Sendable {
        /// The booking; `nil` for a visit that the app spent without a booking.
        @Nullable public var bookingID: UUID?
        /// The booking's class.
        @Nullable public var classID: String?
        /// The app's reference for a visit that it spent without a booking.
        @Nullable public var reference: String?
        /// The amount of the purchase that paid for this use.
        public var amount: Int64
        /// The time of the use.
        public var usedAt: Date

        enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
            case classID = "class_id"
            case reference, amount
            case usedAt = "used_at"
        }
    }

    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id, or the store's product id if the catalogue does not have the product.
    public var productID: String
    /// The store that sold it.
    public var store: String
    /// `granted`, `consumed`, `partly_consumed`, `refunded`, or the reason why nothing was granted.
    public var status: String
    /// A Boolean value that indicates whether nothing remains of the grant.
    public var isConsumed: Bool
    /// The unit of the grant; `nil` if nothing was granted.
    ///
    /// For a bundle, `unit`, `granted` and `remaining` are those of the first lot.
    @Nullable public var unit: CreditUnit?
    /// The granted amount.
    public var granted: Int64
    /// The remaining amount.
    public var remaining: Int64
    /// All lots that the purchase granted, the first one included.
    public var lots: [PurchaseLot]
    /// The time of purchase.
    public var purchasedAt: Date
    /// The bookings and visits that the purchase pays for.
    public var usedBy: [Use]

    enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case store, status
        case isConsumed = "is_consumed"
        case unit, granted, remaining, lots
        case purchasedAt = "purchased_at"
        case usedBy = "used_by"
    }
}

extension Purchase {
    fileprivate init(row: Row) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let lots = try row.decodeLots()
        self.init(
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            store: try row.decode("store"),
            status: try row.decode("status"),
            isConsumed: !lots.isEmpty && lots.allSatisfy { $0.remaining == 0 },
            unit: try row.decodeUnit("unit_name"),
            granted: try row.decode("granted"),
            remaining: try row.decode("remaining"),
            lots: lots,
            purchasedAt: try row.decode("purchased_at"),
            usedBy: try row.decodeJSON("used_by", decoder: decoder)
        )
    }
}

/// One lot that a purchase granted; a bundle grants several.
public struct PurchaseLot: Codable, Sendable, Equatable {
    /// The lot's id.
    @WireUUID public var lotID: UUID
    /// The unit.
    public var unit: CreditUnit
    /// The granted amount.
    public var granted: Int64
    /// The remaining amount.
    public var remaining: Int64

    enum CodingKeys: String, CodingKey {
        case lotID = "lot_id"
        case unit, granted, remaining
    }
}

extension Row {
    /// Decodes the column `lots`; none for `null`.
    func decodeLots() throws -> [PurchaseLot] {
        try self.decode("lots", as: String?.self).map {
            try JSONDecoder().decode([PurchaseLot].self, from: Data($0.utf8))
        } ?? []
    }
}

/// A purchase of a pack, with its price in the catalogue at the time of purchase.
public struct PackPurchase: Sendable {
    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id.
    public var productID: String
    /// The pack's name.
    public var name: String
    /// The pack's description.
    public var description: String
    /// The number of granted credits, including the bonus.
    public var granted: Int64
    /// The number of bonus credits.
    public var bonus: Int64
    /// The price in the currency's minor unit; `nil` if unknown.
    public var paidMinor: Int64?
    /// The ISO 4217 code; `nil` if unknown.
    public var currency: String?
    /// `pending`, `completed`, `failed` or `refunded`.
    public var status: String
    /// The time of purchase.
    public var purchasedAt: Date
    /// The time at which the purchase was credited.
    public var updatedAt: Date
}

extension PackPurchase {
    fileprivate init(row: Row) throws {
        self.init(
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            name: try row.decode("name"),
            description: try row.decode("description"),
            granted: try row.decode("granted"),
            bonus: try row.decode("bonus"),
            paidMinor: try row.decode("paid_minor"),
            currency: try row.decode("currency"),
            status: try row.decode("status"),
            purchasedAt: try row.decode("purchased_at"),
            updatedAt: try row.decode("updated_at")
        )
    }
}
