import Foundation
import Postgres
import Wallet

/// The state of a walk's wallets, lots, bookings, seats and waitlists, read in one round trip.
struct WalkSnapshot {
    struct Line {
        let what: String
        let user: String?
        let environment: String
        let id: UUID?
        let transactionID: String?
        let at: Date?
        let state: String
    }

    let lines: [Line]

    init(of userIDs: [String], classIDs: [String], on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            WITH mine AS (
                SELECT i.account_id, i.user_id FROM wallet.identities AS i
                WHERE i.user_id = ANY(\(userIDs)) AND i.merged_at IS NULL
            )
            SELECT 'wallet' AS what, m.user_id, w.environment::text AS environment, NULL::uuid AS id,
                NULL AS transaction_id, nullif(w.blocked_until, '-infinity') AS at,
                concat_ws(' ', w.credits, w.visits, w.owed_credits, w.owed_visits, w.version) AS state
            FROM mine AS m INNER JOIN wallet.wallets AS w ON m.account_id = w.account_id
            UNION ALL
            SELECT 'lot', m.user_id, l.environment::text, l.lot_id, c.transaction_id, nullif(l.expires_at, 'infinity'),
                concat_ws(
                    ' ', l.unit, l.source, l.bundle_item, l.granted, l.spent, l.lapsed, l.refunded, l.repaid,
                    l.remaining, l.owed, CASE WHEN l.reopened_until = l.expires_at THEN 'reopened' END,
                    CASE WHEN l.starts_at < c.purchased_at + make_interval(hours => 24 * CASE l.bundle_item
                        WHEN 0 THEN c.starts_within_days ELSE (c.bundle_items[l.bundle_item]).starts_within_days
                    END) THEN 'started by use' WHEN l.starts_at IS NOT NULL THEN 'starts' END
                )
            FROM mine AS m INNER JOIN wallet.lots AS l ON m.account_id = l.account_id
            LEFT JOIN wallet.claims AS c ON l.claim_id = c.claim_id
            UNION ALL
            SELECT 'booking', m.user_id, b.environment::text, b.booking_id, NULL, b.free_until,
                concat_ws(
                    ' ', b.class_id, b.status, b.seats, coalesce(b.unit::text, 'unlimited'), b.amount,
                    'by', coalesce(b.cancelled_by, 'nobody'), 'returned', coalesce(b.returned::text, '-'),
                    CASE WHEN b.promoted THEN 'promoted' END, CASE WHEN b.moved THEN 'moved' END,
                    CASE WHEN b.late_cancel THEN 'late' END, 'told', k.moves_notified, b.attendance,
                    CASE WHEN b.fee > 0 OR b.strike THEN 'fee ' || b.fee END, CASE WHEN b.strike THEN 'strike' END
                )
            FROM mine AS m INNER JOIN wallet.booking_details AS b ON m.account_id = b.account_id
            INNER JOIN wallet.bookings AS k ON b.account_id = k.account_id AND b.booking_id = k.booking_id
            UNION ALL
            SELECT 'seats', s.class_id, s.environment::text, NULL, NULL, c.starts_at,
                concat_ws(
                    ' ', c.status, 'moved', c.moves, s.capacity, s.sold, s.reserved, 'waiting', (
                        SELECT string_agg(concat_ws(
                            ' ', array_position(\(userIDs)::text[], m.user_id) - 1, w.seats,
                            CASE WHEN s.reserved > 0 AND w.passed_round = s.reservation_round THEN 'passed' END
                        ), ', ' ORDER BY w.entry_id)
                        FROM wallet.waitlist AS w INNER JOIN mine AS m ON w.account_id = m.account_id
                        WHERE w.class_id = s.class_id AND w.environment = s.environment
                    )
                )
            FROM wallet.class_seats AS s INNER JOIN wallet.classes AS c ON s.class_id = c.class_id
            WHERE s.class_id = ANY(\(classIDs))
            """
        )
        self.lines = try rows.map { row in
            Line(
                what: try row.decode("what"),
                user: try row.decode("user_id"),
                environment: try row.decode("environment"),
                id: try row.decode("id"),
                transactionID: try row.decode("transaction_id"),
                at: try row.decode("at"),
                state: try row.decode("state")
            )
        }
    }
}

extension WalkSnapshot {
    /// Returns the state as text, with the model's names.
    func lines(_ names: WalkNames) -> [String] {
        self.lines.map { line in
            let user = line.user ?? ""
            let place = names.key(user, line.environment)?.description ?? "\(user) \(line.environment)"
            let name =
                switch line.what {
                case "lot": line.id.map(names.lot) ?? ""
                case "booking": "\(line.id.map(names.booking) ?? "") of \(place)"
                default: place
                }
            return "\(line.what) \(name): \(line.state) \(line.at.walkText)"
        }.sorted()
    }

    /// Returns the bookings whose state differs from the earlier snapshot.
    func changed(since before: WalkSnapshot?) -> Set<UUID> {
        let old = Dictionary(
            (before?.lines ?? []).compactMap { line in line.id.map { ($0, line.state) } },
            uniquingKeysWith: { first, _ in first }
        )
        return Set(self.lines.compactMap { $0.what == "booking" && old[$0.id ?? UUID()] != $0.state ? $0.id : nil })
    }
}
