-- The current balance of each wallet. Due expiries that are not posted yet are subtracted, so a stopped sweeper makes
-- no difference.
CREATE VIEW wallet.balances AS
SELECT
    w.account_id,
    w.environment,
    w.credits - coalesce(l.due_credits, 0) AS credits,
    w.visits - coalesce(l.due_visits, 0) AS visits,
    w.owed_credits,
    w.owed_visits,
    w.version,
    coalesce(s.unlimited, FALSE) AS unlimited,
    coalesce(l.lots, '[]') AS lots,
    coalesce(e.upcoming, '[]') AS upcoming_expirations,
    s.next_rollover_at,
    c.now AS as_of,
    greatest(l.last_boundary, s.last_boundary) AS last_boundary
FROM wallet.wallets AS w
-- This is not a CTE, because a query that joins a view with a CTE computes all rows of the CTE first.
CROSS JOIN (SELECT wallet.now() AS now) AS c
LEFT JOIN LATERAL (
    SELECT
        sum(o.remaining) FILTER (WHERE o.expires_at <= c.now AND o.unit = 'credit')::BIGINT AS due_credits,
        sum(o.remaining) FILTER (WHERE o.expires_at <= c.now AND o.unit = 'visit')::BIGINT AS due_visits,
        max(o.expires_at) FILTER (WHERE o.expires_at <= c.now) AS last_boundary,
        jsonb_agg(jsonb_build_object(
            'lot_id', o.lot_id, 'unit', o.unit, 'source', o.source, 'product_id', o.product_id,
            'granted', o.granted, 'remaining', o.remaining,
            'expires_at', extract(EPOCH FROM nullif(o.expires_at, 'infinity'))
        ) ORDER BY o.unit DESC, o.expires_at, o.lot_id) FILTER (WHERE o.expires_at > c.now) AS lots
    FROM wallet.lots AS o
    WHERE o.account_id = w.account_id AND o.environment = w.environment AND o.is_open
) AS l ON TRUE
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
        'unit', u.unit, 'amount', u.amount, 'expires_at', extract(EPOCH FROM u.expires_at)
    ) ORDER BY u.expires_at, u.unit) AS upcoming
    FROM (
        SELECT o.unit, o.expires_at, sum(o.remaining)::BIGINT AS amount
        FROM wallet.lots AS o
        WHERE
            o.account_id = w.account_id AND o.environment = w.environment AND o.is_open
            AND o.expires_at > c.now AND o.expires_at < 'infinity'
        GROUP BY o.unit, o.expires_at
    ) AS u
) AS e ON TRUE
LEFT JOIN LATERAL (
    SELECT
        bool_or(t.unlimited AND t.has_access) AS unlimited,
        min(t.period_end) FILTER (
            WHERE t.has_access AND t.will_renew AND t.rollover_percentage > 0
        ) AS next_rollover_at,
        max(t.access_ends_at) FILTER (WHERE t.access_ends_at <= c.now) AS last_boundary
    FROM wallet.subscription_states AS t
    WHERE t.account_id = w.account_id AND t.environment = w.environment
) AS s ON TRUE;
COMMENT ON VIEW wallet.balances IS 'The current balance of each wallet; due expiries are subtracted.';
