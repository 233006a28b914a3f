-- All subscriptions with the state that follows from their facts and the clock. No worker has to write changes caused
-- by time.
CREATE VIEW wallet.subscription_states AS
SELECT
    s.account_id,
    s.subscription_id,
    s.environment,
    s.store,
    s.original_transaction_id,
    s.product_id,
    t.status,
    t.status IN ('trial', 'active', 'grace') AS has_access,
    s.tier,
    s.entitlements,
    s.unlimited,
    s.period_type,
    s.period_start,
    s.period_end,
    s.grace_ends_at,
    greatest(s.period_end, coalesce(s.grace_ends_at, '-infinity')) AS access_ends_at,
    s.will_renew,
    s.rollover_percentage,
    s.days_ahead
FROM wallet.subscriptions AS s
-- This is not a CTE, because a query that joins a view with a CTE computes all rows of the CTE first.
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS c
CROSS JOIN LATERAL (
    SELECT CASE
        WHEN s.ended IN ('refunded', 'revoked') THEN s.ended
        WHEN c.now < s.period_end AND s.period_type = 'trial' THEN 'trial'
        WHEN c.now < s.period_end THEN 'active'
        WHEN c.now < s.grace_ends_at AND s.ended IS NULL THEN 'grace'
        WHEN s.paused THEN 'paused'
        WHEN s.billing_issue AND s.ended IS NULL THEN 'billing_retry'
        ELSE 'expired'
    END AS status
) AS t
WHERE s.released_at IS NULL;
COMMENT ON VIEW wallet.subscription_states IS
'Subscriptions with the state that follows from their facts and the clock.';
