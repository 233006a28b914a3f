import Postgres

extension WalkDatabase {
    /// Returns the environments and units in which the amounts received by all wallets differ from the amounts spent
    /// and held.
    ///
    /// Sold, given, imported and rolled-over amounts = booked, consumed, removed, lapsed and refunded amounts and fees,
    /// plus balances less debts. Each amount is read from the table that decided it (claims, adjustments, bookings,
    /// consequences, wallets), so that an error in one table cannot hide in another. An amount that lapsed and was
    /// refunded later counts as lapsed only. Repayments cancel out: the paying lot spends the amount that the other
    /// lot no longer owes.
    func imbalances() async throws -> [String] {
        try await self.root.query(
            """
            WITH parts (part, environment, unit, amount) AS (
                SELECT 'sold', c.environment, l.unit, wallet.claim_worth(c, l.bundle_item)
                FROM wallet.claims AS c LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
                WHERE c.granted_at IS NOT NULL AND wallet.claim_worth(c) > 0
                UNION ALL
                SELECT
                    'refunded', c.environment, l.unit, -wallet.refunded_part(c, wallet.claim_worth(c, l.bundle_item))
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
                SELECT 'charged', c.environment, 'credit', -c.fee FROM wallet.consequences AS c
                WHERE c.withdrawn_at IS NULL
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
