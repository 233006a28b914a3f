package import Crypto
public import Foundation
import Postgres

extension Wallet {
    /// Returns the current balance of a user's wallet; the balance of an unknown user is zero.
    ///
    /// SQL: `views/ledger/balances.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The balance, without expired amounts.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func balance(of user: UserID, in environment: WalletEnvironment) async throws -> Balance {
        try await self.answer(Balance.self, to: UserRead(user: user, environment: environment))
    }

    /// Admits a caller and returns the current balance of the caller's wallet.
    ///
    /// SQL: `views/ledger/balances.sql`.
    ///
    /// - Parameters:
    ///   - caller: The owner of the wallet.
    ///   - environment: The environment of the wallet.
    /// - Returns: The balance, without expired amounts.
    /// - Throws: ``WalletError`` 401 `unauthenticated`; 503 when the database does not answer.
    public func balance(of caller: Caller, in environment: WalletEnvironment) async throws -> Balance {
        let read = UserRead(user: caller.user, environment: environment)
        return try await self.answer(self.balances, to: read, of: caller)
    }

    /// Returns the future balance of a user's wallet, with expiries and known renewals, if the user buys, books and
    /// cancels nothing until then.
    ///
    /// SQL: `functions/subscriptions/forecast.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    ///   - instant: The future time.
    /// - Returns: The balance at that time.
    /// - Throws: ``WalletError`` 400 `forecast-out-of-range`; 503 when the database does not answer.
    public func forecast(of user: UserID, in environment: WalletEnvironment, at instant: Date) async throws -> Balance {
        let rows = try await self.read(
            """
            SELECT \(unescaped: Balance.columns)
            FROM (
                SELECT f.*, NULL::timestamptz AS last_boundary FROM wallet.forecast(
                    (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue)),
                    \(environment.rawValue)::wallet.environment, \(instant)
                ) AS f
            ) AS b
            LEFT JOIN LATERAL unnest(b.lots) AS l ON TRUE
            ORDER BY \(unescaped: Balance.order)
            """
        ) { $0 }
        return try Self.decoding { try Balance(rows: rows, user: user, environment: environment) }
    }
}

/// A wallet's balance at one instant, without expired amounts.
public struct Balance: Sendable {
    /// A grant with a remaining amount.
    public struct Lot: Sendable {
        /// The lot's id.
        public var lotID: UUID
        /// The unit of the lot.
        public var unit: CreditUnit
        /// The source of the lot: `pack`, `pass`, `plan`, `promo` or `adjustment`.
        public var source: String
        /// The catalogue product of the grant, if any.
        public var productID: String?
        /// The granted amount.
        public var granted: Int64
        /// The spendable amount.
        public var remaining: Int64
        /// The time at which the remaining amount expires; `nil` for never.
        public var expiresAt: Date?
    }

    /// An amount that will expire at one instant.
    public struct Expiration: Sendable {
        /// The unit of the amount.
        public var unit: CreditUnit
        /// The amount that will expire.
        public var amount: Int64
        /// The time of expiry.
        public var expiresAt: Date
    }

    /// The user whose wallet this is.
    public var userID: String
    /// The UUID that the app passes to the store as the account token when this user buys.
    public var appAccountToken: UUID
    /// The environment of the user's wallet.
    public var environment: WalletEnvironment
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// A Boolean value that indicates whether an active plan allows bookings without limit.
    public var unlimited: Bool
    /// Credits that the wallet owes after a refund of spent credits.
    public var owedCredits: Int64
    /// Visits that the wallet owes after a refund of spent visits.
    public var owedVisits: Int64
    /// The number of ledger entries; each entry increases it by one.
    public var version: Int64
    /// The lots with a remaining amount, in the order in which they will be spent.
    public var lots: [Lot]
    /// The upcoming expiries, the next one first.
    public var upcomingExpirations: [Expiration]
    /// The time at which a plan's visits roll over next, if one does.
    public var nextRolloverAt: Date?
    /// The time of the wallet clock for which this balance is valid.
    public var asOf: Date
    /// The last expiry boundary that has passed.
    public var lastBoundary: Date?

    /// The entity tag of this state: equal tags mean equal balances, and a tag reveals nothing about a balance.
    ///
    /// The tag is weak, because two responses for the same state differ in ``asOf``. If an account was deleted and
    /// opened again, its version starts at 1 again. The lots distinguish the two accounts.
    public var entityTag: String {
        var state: [UInt8] = []
        func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { state.append(contentsOf: $0) } }
        add(Int64(self.userID.utf8.count))
        state += self.userID.utf8
        add(self.environment == .sandbox ? 1 : 0)
        add(self.version)
        for amount in [self.credits, self.visits, self.owedCredits, self.owedVisits] { add(amount) }
        add(self.unlimited ? 1 : 0)
        add(self.nextRolloverAt?.microsecondsSince1970 ?? 0)
        add(self.lastBoundary?.microsecondsSince1970 ?? 0)
        for lot in self.lots {
            withUnsafeBytes(of: lot.lotID.uuid) { state.append(contentsOf: $0) }
            add(lot.granted)
            add(lot.remaining)
            // A store may move the end of a period without a ledger entry.
            add(lot.expiresAt?.microsecondsSince1970 ?? 0)
        }
        return "W/" + EntityTag.text(of: SHA256.hash(data: state))
    }
}

extension Date {
    /// The instant with the database's precision; an instant beyond `Int64` becomes its limit.
    var microsecondsSince1970: Int64 {
        let exact = (self.timeIntervalSince1970 * 1_000_000).rounded()
        return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    }
}

/// The text of an entity tag: the first 16 bytes of a hash in base64url (RFC 4648, section 5) without padding.
package enum EntityTag {
    /// Returns the tag with its quotes.
    package static func text(of hash: SHA256.Digest) -> String {
        // By byte, because every balance has a tag, and comparing characters takes much longer.
        let digits = Data(hash.prefix(16)).base64EncodedString().utf8.prefix(22).map { digit in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: digit
            }
        }
        return "\"\(String(decoding: digits, as: UTF8.self))\""
    }
}

extension Balance: UserReadKind {
    /// The columns for ``init(rows:user:environment:)``: of a `wallet.balances` named `b` and of its lots named `l`, both
    /// of which may have no row.
    static let columns = """
        coalesce(b.credits, 0) AS credits, coalesce(b.visits, 0) AS visits, coalesce(b.unlimited, FALSE) AS unlimited,
        coalesce(b.owed_credits, 0) AS owed_credits, coalesce(b.owed_visits, 0) AS owed_visits,
        coalesce(b.version, 0) AS version, b.next_rollover_at, coalesce(b.as_of, (SELECT wallet.now())) AS as_of,
        b.last_boundary, l.lot_id, l.unit::text AS lot_unit, l.source, l.product_id, l.granted, l.remaining,
        nullif(l.expires_at, 'infinity') AS expires_at
        """

    static let joins = """
        LEFT JOIN LATERAL (
            SELECT o.* FROM wallet.balances AS o
            WHERE o.account_id = q.account_id AND o.environment = q.environment
            LIMIT 1
        ) AS b ON TRUE
        LEFT JOIN LATERAL (
            SELECT o.* FROM wallet.open_lots AS o
            WHERE o.account_id = q.account_id AND o.environment = q.environment AND o.expires_at > b.as_of
        ) AS l ON TRUE
        """

    /// The order in which lots are spent.
    static let order = "l.unit DESC, l.expires_at, l.lot_id"

    static func answer(_ rows: [Row], to read: UserRead) throws -> Balance {
        try Balance(rows: rows, user: read.user, environment: read.environment)
    }

    /// Decodes the rows of one wallet: one for each lot, or a single one without a lot.
    init(rows: [Row], user: UserID, environment: WalletEnvironment) throws {
        guard let row = rows.first else { throw WalletError(status: 500, slug: "internal-error") }
        let lots = try rows.compactMap { try Lot(row: $0) }
        self.init(
            userID: user.rawValue,
            appAccountToken: user.appAccountToken,
            environment: environment,
            credits: try row.decode("credits"),
            visits: try row.decode("visits"),
            unlimited: try row.decode("unlimited"),
            owedCredits: try row.decode("owed_credits"),
            owedVisits: try row.decode("owed_visits"),
            version: try row.decode("version"),
            lots: lots,
            upcomingExpirations: Expiration.all(of: lots),
            nextRolloverAt: try row.decode("next_rollover_at"),
            asOf: try row.decode("as_of"),
            lastBoundary: try row.decode("last_boundary")
        )
    }
}

extension Balance.Lot {
    /// Decodes the lot of a row; returns `nil` if the row has none.
    fileprivate init?(row: Row) throws {
        guard let id = try row.decode("lot_id", as: UUID?.self) else { return nil }
        self.init(
            lotID: id,
            unit: try row.decodeUnit("lot_unit"),
            source: try row.decode("source"),
            productID: try row.decode("product_id"),
            granted: try row.decode("granted"),
            remaining: try row.decode("remaining"),
            expiresAt: try row.decode("expires_at")
        )
    }
}

extension Balance.Expiration {
    /// Sums the lots that expire at the same time, the next time first.
    fileprivate static func all(of lots: [Balance.Lot]) -> [Self] {
        var expirations: [Self] = []
        for lot in lots {
            guard let instant = lot.expiresAt else { continue }
            if let last = expirations.indices.last, expirations[last].unit == lot.unit,
                expirations[last].expiresAt == instant
            {
                expirations[last].amount += lot.remaining
            } else {
                expirations.append(Self(unit: lot.unit, amount: lot.remaining, expiresAt: instant))
            }
        }
        return expirations.sorted { ($0.expiresAt, $0.unit.rawValue) < ($1.expiresAt, $1.unit.rawValue) }
    }
}

/// A wallet's balance after an operation.
public struct BalanceSummary: Encodable, Sendable, Equatable {
    /// Spendable credits.
    public var credits: Int64
    /// Spendable visits.
    public var visits: Int64
    /// The number of ledger entries.
    public var version: Int64
}

extension BalanceSummary {
    init(row: Row) throws {
        self.init(
            credits: try row.decode("credits"),
            visits: try row.decode("visits"),
            version: try row.decode("version")
        )
    }
}
