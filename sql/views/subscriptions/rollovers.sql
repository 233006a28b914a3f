-- The rollover from the lot of each plan period into the next one, for wallet.settle. A lot rolls over once, when its
-- period is over and the next one is known: the plan's percentage of the amount neither spent nor refunded, up to its
-- cap. A period cut short by another one rolls nothing over. Rolled amounts never roll over again.
-- A later refund has the same effect as an earlier one: the rolled lot is granted the rollover without refunds, and the
-- difference is its refunded part. A refund of the next period refunds its share of the rolled amount. If the period
-- turns out to be a duplicate, all of it is refunded.
-- granted: what the rolled lot has, or gets now; 0 if nothing rolls over. refunded: what its refunded part must be.
-- rolled_account_id, rolled_lot_id, rolled_refunded: the rolled lot; null if it does not exist.
CREATE VIEW wallet.rollovers AS
SELECT
    k.account_id,
    k.lot_id,
    (k.next).product_id AS product_id,
    wallet.period_end(k.next) AS expires_at,
    k.granted,
    k.granted - k.kept + coalesce(wallet.refunded_part(k.next, k.kept), 0) AS refunded,
    k.rolled_account_id,
    k.rolled_lot_id,
    k.rolled_refunded
FROM (
    SELECT
        g.*,
        CASE
            -- If a period in between was reported late, this one was cut short after all. If the next one turned out to
            -- be a duplicate of another subscription's, none follows.
            WHEN g.is_cut_short OR (g.next).claim_id IS NULL THEN 0
            ELSE least(
                g.granted, wallet.rollover_worth(g.rollover_percentage, g.rollover_cap, g.unspent - g.refunded)
            )
        END AS kept
    FROM (
        SELECT
            p.*,
            CASE
                WHEN p.rolled_lot_id IS NOT NULL THEN p.rolled_granted
                WHEN p.ends_at > wallet.now() OR p.is_cut_short OR p.is_duplicate THEN 0
                ELSE wallet.rollover_worth(p.rollover_percentage, p.rollover_cap, p.unspent)
            END AS granted
        FROM (
            SELECT
                l.account_id,
                l.lot_id,
                l.refunded,
                -- The remaining amount of a reopened lot can still be spent.
                l.granted - l.spent
                - CASE WHEN l.reopened_until > wallet.now() THEN l.remaining ELSE 0 END AS unspent,
                c.rollover_percentage,
                c.rollover_cap,
                c.duplicate_of IS NOT NULL AS is_duplicate,
                e.ends_at,
                e.ends_at < c.expires_at AS is_cut_short,
                n AS next,
                r.account_id AS rolled_account_id,
                r.lot_id AS rolled_lot_id,
                r.granted AS rolled_granted,
                r.refunded AS rolled_refunded
            FROM wallet.lots AS l
            INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id
            LEFT JOIN LATERAL wallet.period_after(c) AS n ON TRUE
            LEFT JOIN wallet.lots AS r ON c.claim_id = r.rolled_from
            CROSS JOIN LATERAL (
                SELECT
                    -- If a studio's change reopened the lot, its days of grace do not extend the period.
                    CASE WHEN l.reopened_until IS NULL THEN l.expires_at ELSE wallet.period_end(c) END AS ends_at
            ) AS e
            WHERE
                c.rollover_percentage > 0
                AND (
                    n.account_id = l.account_id OR c.duplicate_of IS NOT NULL
                    OR (n.claim_id IS NULL AND r.lot_id IS NOT NULL)
                )
        ) AS p
    ) AS g
) AS k;
COMMENT ON VIEW wallet.rollovers IS 'The rollover from the lot of each plan period into the next one.';
