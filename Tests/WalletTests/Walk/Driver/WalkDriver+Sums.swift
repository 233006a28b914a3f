import Postgres
import Wallet

extension WalkDriver {
    /// Checks that deferred revenue ends with the wallets' balances, and that each month begins with the previous
    /// month's closing balance.
    func compareSums() async throws {
        while try await self.database.wallet.sumDays(limit: 1_000) > 0 {}
        // The month may end during the query.
        let now = try await self.database.wallet.now()
        let broken = try await self.database.root.query(
            """
            SELECT concat_ws(' ', 'closes with', s.closing, 'for', s.held, s.environment, s.unit) AS broken FROM (
                SELECT w.environment, u.unit, sum(CASE u.unit WHEN 'credit' THEN w.credits ELSE w.visits END) AS held, (
                    SELECT coalesce(sum(r.closing), 0) FROM admin.deferred_revenue AS r
                    WHERE r.environment = w.environment AND r.unit = u.unit
                        AND r.month = date_trunc('month', \(now)::timestamptz AT TIME ZONE 'UTC')
                ) AS closing
                FROM wallet.wallets AS w CROSS JOIN unnest(enum_range(NULL::wallet.unit)) AS u (unit)
                GROUP BY w.environment, u.unit
            ) AS s WHERE s.closing <> s.held
            UNION ALL
            SELECT concat_ws(' ', r.month, r.unit, r.source, r.product_id, 'begins with', r.opening) FROM (
                SELECT o.*, lag(o.closing, 1, 0) OVER w AS before, lag(o.closing_minor, 1, 0) OVER w AS before_minor
                FROM admin.deferred_revenue AS o
                WINDOW w AS (PARTITION BY o.environment, o.unit, o.source, o.product_id, o.currency ORDER BY o.month)
            ) AS r
            WHERE (r.opening, r.opening_minor) IS DISTINCT FROM (r.before, r.before_minor)
                OR r.opening + r.sold + r.given + r.rolled + r.moved - r.used - r.lapsed - r.refunded <> r.closing
            """
        ).map { try $0.decode("broken", as: String.self) }
        guard broken.isEmpty else { throw Parting(description: "the sums: \(broken)") }
    }
}
