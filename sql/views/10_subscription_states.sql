-- Every subscription with the state that its facts and the clock give it: no worker has to write what time decides.
CREATE VIEW wallet.subscription_states AS
WITH clock AS (
    SELECT wallet.now() AS now
),

timed AS (
    SELECT
        s.*,
        c.now,
        greatest(s.period_end, coalesce(s.grace_ends_at, '-infinity')) AS access_ends_at
    FROM wallet.subscriptions AS s
    CROSS JOIN clock AS c
),

stated AS (
    SELECT
        t.*,
        CASE
            WHEN t.ended IN ('refunded', 'revoked') THEN t.ended
            WHEN t.now < t.period_end AND t.period_type = 'trial' THEN 'trial'
            WHEN t.now < t.period_end THEN 'active'
            WHEN t.now < t.grace_ends_at AND t.ended IS NULL THEN 'grace'
            WHEN t.paused THEN 'paused'
            WHEN t.billing_issue AND t.ended IS NULL THEN 'billing_retry'
            ELSE 'expired'
        END AS status
    FROM timed AS t
    WHERE t.released_at IS NULL
)

SELECT
    s.account_id,
    s.subscription_id,
    s.environment,
    s.store,
    s.original_transaction_id,
    s.product_id,
    s.status,
    s.status IN ('trial', 'active', 'grace') AS has_access,
    s.tier,
    s.entitlements,
    s.unlimited,
    s.period_type,
    s.period_start,
    s.period_end,
    s.grace_ends_at,
    s.access_ends_at,
    s.will_renew,
    s.rollover_percentage,
    s.days_ahead
FROM stated AS s;
COMMENT ON VIEW wallet.subscription_states IS 'Subscriptions with the state that their facts and the clock give them.';
