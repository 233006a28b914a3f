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
    s.next_rollover_at,
    c.now AS as_of,
    greatest(l.last_boundary, s.last_boundary) AS last_boundary
FROM wallet.wallets AS w
-- A statement reads the clock once, even for many wallets, because of the inner SELECT. This is not a CTE, because a
-- query that joins a view with a CTE computes all rows of the CTE first.
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS c
LEFT JOIN LATERAL (
    SELECT
        sum(o.remaining) FILTER (WHERE o.unit = 'credit')::BIGINT AS due_credits,
        sum(o.remaining) FILTER (WHERE o.unit = 'visit')::BIGINT AS due_visits,
        max(o.expires_at) AS last_boundary
    FROM wallet.lots AS o
    WHERE o.account_id = w.account_id AND o.environment = w.environment AND o.is_open AND o.expires_at <= c.now
) AS l ON TRUE
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

-- The lots of each wallet that hold a spendable amount, or one whose expiry is due but not posted yet.
CREATE VIEW wallet.open_lots AS
SELECT
    l.account_id,
    l.environment,
    l.lot_id,
    l.unit,
    l.source::TEXT AS source,
    l.product_id,
    l.granted,
    l.remaining,
    l.expires_at
FROM wallet.lots AS l
WHERE l.is_open;
COMMENT ON VIEW wallet.open_lots IS
'The lots with a remaining amount; expires_at is infinity for a lot without expiry.';
