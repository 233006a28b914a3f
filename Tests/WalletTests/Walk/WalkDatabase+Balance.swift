import Postgres

extension WalkDatabase {
    /// Where what came into all wallets together is not what went out of them and what they hold.
    ///
    /// What stores sold, what was given, imported and rolled over = what was booked, used and taken away, what lapsed
    /// and was refunded, and what is held less what is owed. Each part is read where it was decided (claims,
    /// adjustments, bookings, wallets), so that no table answers for another. A part of a lot that first lapsed and was
    /// then refunded counts as lapsed only. What one lot repaid for another cancels out: one spent it, the other owes
    /// it no more.
    func imbalances() async throws -> [String] {
        try await self.root.query(
            """
            WITH parts (part, environment, unit, amount) AS (
                SELECT 'sold', c.environment, l.unit, wallet.claim_worth(c)
                FROM wallet.claims AS c LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
                WHERE c.granted_at IS NOT NULL AND wallet.claim_worth(c) > 0
                UNION ALL
                SELECT 'refunded', c.environment, l.unit, -wallet.refunded_part(c, wallet.claim_worth(c))
                FROM wallet.claims AS c LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
                WHERE c.granted_at IS NOT NULL AND wallet.claim_worth(c) > 0
                UNION ALL
                SELECT 'rolled over', l.environment, l.unit, l.granted - l.refunded FROM wallet.lots AS l
                WHERE l.rolled_from IS NOT NULL
                UNION ALL
                SELECT 'given or taken', a.environment, a.unit, a.amount FROM wallet.adjustments AS a
                UNION ALL
                SELECT 'imported', e.environment, e.unit, e.amount - e.owed_change FROM wallet.entries AS e
                WHERE e.kind = 'import'
                UNION ALL
                SELECT 'booked', b.environment, b.unit, coalesce(b.returned, 0) - b.amount FROM wallet.bookings AS b
                WHERE b.unit IS NOT NULL
                UNION ALL
                SELECT 'used', u.environment, 'visit', -1 FROM wallet.pass_uses AS u
                UNION ALL
                SELECT
                    'lapsed', l.environment, l.unit, -least(l.lapsed, greatest(l.granted - l.refunded - l.spent, 0))
                FROM wallet.lots AS l
                UNION ALL
                SELECT 'held', w.environment, 'credit', w.owed_credits - w.credits FROM wallet.wallets AS w
                UNION ALL
                SELECT 'held', w.environment, 'visit', w.owed_visits - w.visits FROM wallet.wallets AS w
            ),

            sums AS (
                SELECT p.environment, p.unit, p.part, sum(p.amount) AS amount FROM parts AS p
                GROUP BY p.environment, p.unit, p.part
            )

            SELECT format(
                '%s in %ss is off by %s: %s', s.environment, s.unit, sum(s.amount),
                string_agg(s.part || ' ' || s.amount, ', ' ORDER BY s.part)
            ) AS imbalance
            FROM sums AS s
            GROUP BY s.environment, s.unit
            HAVING sum(s.amount) <> 0
            """
        ).map { try $0.decode("imbalance") }
    }
}
