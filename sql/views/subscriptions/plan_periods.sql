-- The paid and trial periods of subscriptions, each with its position in its subscription. A Google Play purchase that
-- replaces another subscription continues it. Periods from before the cut-over granted nothing. They are not listed,
-- but they count for the positions of later periods.
CREATE VIEW wallet.plan_periods AS
SELECT
    c.claim_id,
    c.environment,
    c.product_id,
    c.purchased_at,
    coalesce(c.period_type = 'trial', FALSE) AS is_trial,
    c.position = 1 AND NOT EXISTS (
        SELECT FROM wallet.claims AS o
        WHERE
            o.store = c.store AND o.environment = c.environment AND o.kind = 'subscription'
            AND o.purchase_token = c.linked_purchase_token
            AND (o.granted_at IS NOT NULL OR o.verdict = 'before-cut-over')
    ) AS is_first,
    coalesce(c.previous_type = 'trial', FALSE) AS is_after_trial,
    greatest(c.expires_at, f.grace_ends_at) AS ends_at,
    least(c.renewed_at, r.replaced_at) AS next_at
FROM (
    SELECT
        a.*,
        row_number() OVER chain AS position,
        lag(a.period_type) OVER chain AS previous_type,
        lead(a.purchased_at) OVER chain AS renewed_at
    FROM wallet.claims AS a
    WHERE
        a.kind = 'subscription' AND a.duplicate_of IS NULL AND a.ownership = 'purchased'
        AND (a.granted_at IS NOT NULL OR a.verdict = 'before-cut-over')
    WINDOW chain AS (
        PARTITION BY a.store, a.environment, a.chain_id ORDER BY a.purchased_at, a.expires_at, a.claim_id
    )
) AS c
LEFT JOIN LATERAL (
    SELECT p.value::TIMESTAMPTZ AS grace_ends_at FROM wallet.period_flags AS p
    WHERE p.claim_id = c.claim_id AND p.flag = 'grace_ends_at'
) AS f ON TRUE
LEFT JOIN (
    SELECT n.store, n.environment, n.linked_purchase_token, min(n.purchased_at) AS replaced_at
    FROM wallet.claims AS n
    WHERE n.kind = 'subscription' AND n.granted_at IS NOT NULL AND n.linked_purchase_token IS NOT NULL
    GROUP BY n.store, n.environment, n.linked_purchase_token
) AS r
    ON c.store = r.store AND c.environment = r.environment AND c.purchase_token = r.linked_purchase_token
WHERE c.granted_at IS NOT NULL;
COMMENT ON VIEW wallet.plan_periods IS 'The periods of subscriptions, each with its position in its subscription.';
