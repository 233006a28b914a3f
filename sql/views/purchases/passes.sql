-- Passes and the visits of bundles with their remaining visits and uses, as GET /passes shows them.
CREATE VIEW wallet.passes AS
SELECT
    l.account_id,
    l.environment,
    l.lot_id,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id,
    l.product_id,
    p.name AS product_name,
    l.granted,
    CASE WHEN l.expires_at > n.now THEN l.remaining ELSE 0 END AS remaining,
    c.purchased_at,
    nullif(l.expires_at, 'infinity') AS expires_at,
    l.starts_at,
    l.is_open AND l.expires_at > n.now AS is_active,
    coalesce(u.history, '[]') AS history
FROM wallet.lots AS l
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS n
-- LIMIT keeps a plan that was made while the table was small from reading the whole table later.
CROSS JOIN LATERAL (SELECT o.* FROM wallet.claims AS o WHERE o.claim_id = l.claim_id ORDER BY o.claim_id LIMIT 1) AS c
INNER JOIN wallet.products AS p ON l.product_id = p.product_id
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
        'booking_id', o.booking_id, 'class_id', o.class_id, 'class_title', o.class_title, 'reference', o.reference,
        'amount', o.amount, 'used_at', extract(EPOCH FROM o.used_at)
    ) ORDER BY o.used_at DESC, o.booking_id DESC, o.reference) AS history
    FROM wallet.lot_uses AS o
    WHERE o.account_id = l.account_id AND o.lot_id = l.lot_id
) AS u ON TRUE
-- A duplicate's lot is fully refunded; the purchase is shown with the claim that was kept.
WHERE l.source = 'pass' AND c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.passes IS 'Passes with their remaining visits and uses.';
COMMENT ON COLUMN wallet.passes.starts_at IS
'When the validity started, or the latest start if it has not; null if it started at the purchase.';
COMMENT ON COLUMN wallet.passes.history IS
'Uses that were not returned, newest first: bookings, and visits that an app spent directly, which have a reference.';
