public import Foundation
import Postgres

extension Wallet {
    /// Lists the events of a user's history, newest first, for support.
    ///
    /// Events of the same instant are on one page, which may be longer than the limit.
    ///
    /// SQL: `views/instance/timeline.sql`.
    ///
    /// - Parameters:
    ///   - user: The user; an unknown user has no history.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func timeline(of user: UserID, page: PageRequest) async throws -> Page<TimelineFact> {
        let before = try page.cursorNumber()
        let rows = try await self.read(
            """
            SELECT t.at, (extract(EPOCH FROM t.at) * 1000000)::bigint AS microseconds, t.environment::text AS environment,
                t.kind, t.fact, t.unit::text AS unit, t.amount, t.balance_after, t.actor, t.reason, t.booking_id,
                t.transaction_id
            FROM wallet.timeline AS t
            WHERE t.user_id = \(user.rawValue)
                AND t.at < coalesce('epoch'::timestamptz + \(before) * INTERVAL '1 microsecond', 'infinity')
            ORDER BY t.at DESC
            FETCH FIRST \(page.limit + 1) ROWS WITH TIES
            """
        ) { row in
            let environment: String? = try row.decode("environment")
            let fact = TimelineFact(
                at: try row.decode("at"),
                environment: environment.flatMap(WalletEnvironment.init),
                kind: try row.decode("kind"),
                fact: try row.decode("fact"),
                unit: try row.decodeUnit("unit"),
                amount: try row.decode("amount"),
                balanceAfter: try row.decode("balance_after"),
                actor: try row.decode("actor"),
                reason: try row.decode("reason"),
                bookingID: try row.decode("booking_id"),
                transactionID: try row.decode("transaction_id")
            )
            return (microseconds: try row.decode("microseconds", as: Int64.self), fact: fact)
        }
        guard rows.count > page.limit else { return Page(items: rows.map(\.fact), nextCursor: nil) }
        let last = rows[page.limit - 1].microseconds
        let held = rows.filter { $0.microseconds >= last }
        return Page(items: held.map(\.fact), nextCursor: Cursor.encode(["\(last)"]))
    }
}

/// An event in a user's history, in words: a row of `wallet.timeline`.
public struct TimelineFact: Encodable, Sendable, Equatable {
    /// The time of the event.
    public var at: Date
    /// The environment of the user's wallet; `nil` for a store's message that is still waiting.
    @Nullable public var environment: WalletEnvironment?
    /// The kind of ledger entry, or another kind such as `booked`.
    public var kind: String
    /// A description of the event, with the amounts.
    public var fact: String
    /// The unit of the amount; `nil` if nothing moved.
    @Nullable public var unit: CreditUnit?
    /// The added amount; negative if the amount was deducted.
    @Nullable public var amount: Int64?
    /// The balance of the unit after the event, according to the ledger; `nil` without a ledger entry.
    @Nullable public var balanceAfter: Int64?
    /// The actor; `nil` for the user and for the wallet itself.
    @Nullable public var actor: String?
    /// The actor's reason.
    @Nullable public var reason: String?
    /// The booking that the event concerns.
    @Nullable public var bookingID: UUID?
    /// The store's transaction that the event concerns.
    @Nullable public var transactionID: String?

    enum CodingKeys: String, CodingKey {
        case at, environment, kind, fact, unit, amount
        case balanceAfter = "balance_after"
        case actor, reason
        case bookingID = "booking_id"
        case transactionID = "transaction_id"
    }
}
