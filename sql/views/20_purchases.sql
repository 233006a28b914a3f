-- An account's store transactions and what became of their grants.
CREATE VIEW wallet.purchases AS
SELECT
    c.account_id,
    c.claim_id,
    c.environment,
    c.store,
    coalesce(c.transaction_id, c.order_id, c.purchase_token) AS transaction_id,
    coalesce(c.product_id, c.store_product_id) AS product_id,
    c.purchased_at,
    c.quantity,
    c.refunded_millionths,
    l.unit,
    coalesce(l.granted, 0) AS granted,
    coalesce(l.remaining, 0) AS remaining,
    coalesce(l.owed, 0) AS owed,
    CASE
        WHEN c.granted_at IS NULL THEN c.verdict
        WHEN c.refunded_millionths = 1000000 THEN 'refunded'
        WHEN l.lot_id IS NULL OR l.spent + l.lapsed = 0 THEN 'granted'
        WHEN l.remaining = 0 THEN 'consumed'
        ELSE 'partly_consumed'
    END AS status,
    coalesce(u.used_by, '[]') AS used_by,
    c.released_at IS NOT NULL AS released
FROM wallet.claims AS c
LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
        'booking_id', b.booking_id, 'class_id', b.class_id, 'amount', p.amount
    ) ORDER BY b.booking_id) AS used_by
    FROM (
        -- What a lot paid for before it moved is in the ledger of the account that held it then.
        SELECT e.account_id, e.booking_id, -sum(e.amount)::BIGINT AS amount
        FROM wallet.entries AS e
        WHERE
            e.account_id IN (
                SELECT l.account_id
                UNION ALL
                SELECT h.account_id FROM wallet.lots AS h WHERE h.lot_id = l.lot_id AND h.moved_to IS NOT NULL
            )
            AND e.environment = l.environment AND e.lot_id = l.lot_id
            AND e.kind = 'spend' AND e.booking_id IS NOT NULL
        GROUP BY e.account_id, e.booking_id
    ) AS p
    -- A return may have paid the lot's own debt and moved no balance, so the booking says what came back.
    INNER JOIN wallet.bookings AS b
        ON
            p.booking_id = b.booking_id AND coalesce(b.returned, 0) = 0
            AND (b.ledger_account_id = p.account_id OR (b.ledger_account_id IS NULL AND b.account_id = p.account_id))
) AS u ON TRUE
WHERE c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.purchases IS 'Store transactions and what became of their grants.';
