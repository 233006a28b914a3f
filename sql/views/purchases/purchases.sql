-- An account's store transactions and their grants.
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
    coalesce(n.remaining, 0) AS remaining,
    coalesce(l.owed, 0) AS owed,
    CASE
        WHEN c.granted_at IS NULL THEN c.verdict
        WHEN c.refunded_millionths = 1000000 THEN 'refunded'
        WHEN l.lot_id IS NULL OR (l.spent + l.lapsed = 0 AND n.remaining = l.remaining) THEN 'granted'
        WHEN n.remaining = 0 THEN 'consumed'
        ELSE 'partly_consumed'
    END AS status,
    coalesce(u.used_by, '[]') AS used_by,
    c.released_at IS NOT NULL AS released
FROM wallet.claims AS c
LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
-- Due expiries are subtracted, posted or not.
LEFT JOIN LATERAL (
    SELECT CASE WHEN l.expires_at > (SELECT wallet.now()) THEN l.remaining ELSE 0 END AS remaining
) AS n ON TRUE
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
        'booking_id', o.booking_id, 'class_id', o.class_id, 'amount', o.amount, 'reference', o.reference,
        'used_at', extract(EPOCH FROM o.used_at)
    ) ORDER BY o.used_at, o.booking_id, o.reference) AS used_by
    FROM wallet.lot_uses AS o
    WHERE o.account_id = l.account_id AND o.lot_id = l.lot_id
) AS u ON TRUE
WHERE c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.purchases IS 'Store transactions and their grants.';
