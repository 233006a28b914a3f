-- An account's store transactions and their grants. unit, granted, remaining and owed are those of the first lot; the
-- status depends on all lots of a bundle.
CREATE VIEW wallet.purchases AS
SELECT
    c.account_id,
    c.claim_id,
    c.environment,
    c.store,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id,
    coalesce(c.product_id, c.store_product_id) AS product_id,
    c.purchased_at,
    c.quantity,
    c.refunded_millionths,
    c.refunded_at,
    l.unit,
    coalesce(l.granted, 0) AS granted,
    coalesce(k.remaining, 0) AS remaining,
    coalesce(l.owed, 0) AS owed,
    CASE
        WHEN c.granted_at IS NULL THEN c.verdict
        WHEN c.refunded_millionths = 1000000 THEN 'refunded'
        WHEN l.lot_id IS NULL OR k.is_untouched THEN 'granted'
        WHEN k.is_used_up THEN 'consumed'
        ELSE 'partly_consumed'
    END AS status,
    coalesce(u.used_by, '[]') AS used_by,
    c.released_at IS NOT NULL AS released,
    coalesce(k.lots, '[]') AS lots
FROM wallet.claims AS c
LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id AND l.bundle_item = 0
LEFT JOIN LATERAL (
    SELECT
        sum(m.remaining) FILTER (WHERE m.bundle_item = 0)::BIGINT AS remaining,
        bool_and(m.is_untouched) AS is_untouched,
        bool_and(m.remaining = 0) AS is_used_up,
        jsonb_agg(jsonb_build_object(
            'lot_id', m.lot_id, 'unit', m.unit, 'granted', m.granted, 'remaining', m.remaining, 'refunded', m.refunded,
            'owed', m.owed
        ) ORDER BY m.bundle_item) AS lots
    FROM (
        SELECT
            o.lot_id, o.bundle_item, o.unit, o.granted, o.refunded, o.owed,
            -- Due expiries are subtracted, posted or not.
            CASE WHEN o.expires_at > n.now THEN o.remaining ELSE 0 END AS remaining,
            o.spent + o.lapsed = 0 AND (o.expires_at > n.now OR o.remaining = 0) AS is_untouched
        FROM wallet.lots AS o
        CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS n
        WHERE o.claim_id = c.claim_id
    ) AS m
) AS k ON TRUE
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
        'booking_id', o.booking_id, 'class_id', o.class_id, 'amount', o.amount, 'reference', o.reference,
        'used_at', extract(EPOCH FROM o.used_at)
    ) ORDER BY o.used_at, o.booking_id, o.reference) AS used_by
    FROM wallet.lots AS m
    CROSS JOIN LATERAL (
        SELECT w.* FROM wallet.lot_uses AS w
        WHERE w.account_id = m.account_id AND w.lot_id = m.lot_id
        -- A sorted subquery is not merged into the join, which would compute the uses of everybody's lots first.
        ORDER BY w.used_at
    ) AS o
    WHERE m.claim_id = c.claim_id
) AS u ON TRUE
WHERE c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.purchases IS 'Store transactions and their grants.';
COMMENT ON COLUMN wallet.purchases.lots IS 'All lots that the purchase granted; a bundle grants several.';
