-- The total credits of each wallet over its whole life. Earned is the sum of all incoming credits. Spent is the sum of
-- bookings and fees minus their returns, and of imported debits. Lapsed, refunded and rolled-over amounts are in
-- neither sum.
CREATE VIEW wallet.lifetimes AS
SELECT
    w.account_id,
    w.environment,
    coalesce(e.earned, 0) AS earned,
    coalesce(e.spent, 0) AS spent,
    coalesce(r.rolled, 0) AS rolled,
    e.first_at,
    e.last_at
FROM wallet.wallets AS w
LEFT JOIN LATERAL (
    SELECT
        sum(n.amount) FILTER (
            WHERE n.amount > 0 AND n.kind IN ('grant', 'adjust', 'import', 'transfer_in')
        )::BIGINT AS earned,
        -sum(n.amount) FILTER (
            WHERE n.kind IN ('spend', 'return', 'fee', 'fee_return') OR (n.kind = 'import' AND n.amount < 0)
        )::BIGINT AS spent,
        min(n.at) AS first_at,
        max(n.at) AS last_at
    FROM wallet.entries AS n
    WHERE n.account_id = w.account_id AND n.environment = w.environment AND n.unit = 'credit'
) AS e ON TRUE
LEFT JOIN LATERAL (
    SELECT sum(l.remaining)::BIGINT AS rolled FROM wallet.lots AS l
    WHERE
        l.account_id = w.account_id AND l.environment = w.environment AND l.unit = 'credit' AND l.is_open
        AND l.rolled_from IS NOT NULL AND l.expires_at > (SELECT wallet.now())
) AS r ON TRUE;
COMMENT ON VIEW wallet.lifetimes IS 'The total credits of each wallet over its whole life.';
