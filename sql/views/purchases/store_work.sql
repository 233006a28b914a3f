-- What there is to ask the stores or to report to them: purchases to be acknowledged, how much of one was used, and
-- which purchases a reconciliation asks about.
CREATE VIEW wallet.unacknowledged AS
SELECT c.claim_id, c.kind, c.store_product_id, c.purchase_token
FROM wallet.claims AS c
WHERE
    c.needs_acknowledgement AND c.granted_at IS NOT NULL AND c.store = 'play_store' AND c.purchase_token IS NOT NULL
    -- The store takes one word for all products of a purchase, so it waits until each has been granted.
    AND NOT EXISTS (
        SELECT FROM unnest(c.purchase_products) AS p (label)
        WHERE NOT EXISTS (
            SELECT FROM wallet.claims AS o
            WHERE
                o.store = c.store AND o.environment = c.environment AND o.transaction_id = c.transaction_id
                AND o.duplicate_of IS NULL AND wallet.is_called(o, ARRAY[p.label])
                AND (o.granted_at IS NOT NULL OR o.refunded_millionths = 1000000)
        )
    );
COMMENT ON VIEW wallet.unacknowledged IS
'Granted purchases, with all their products, that the store waits to have acknowledged.';

CREATE VIEW wallet.consumptions AS
SELECT c.store, c.environment, c.transaction_id, l.granted, l.spent
FROM wallet.claims AS c
INNER JOIN wallet.lots AS l ON c.claim_id = l.claim_id
WHERE c.transaction_id IS NOT NULL;
COMMENT ON VIEW wallet.consumptions IS 'How much of each purchase was granted and used.';

-- What became of the purchases of an order, for a store that reviews a refund: their shares, and what they paid for,
-- the latest thousand uses of each. What a purchase was granted beyond its share of a commitment is not its own.
CREATE VIEW wallet.order_usage AS
SELECT
    c.store,
    coalesce(c.order_id, c.transaction_id) AS order_id,
    coalesce(l.granted - wallet.claim_refunded(c) + wallet.refunded_part(c, l.granted), 0) AS granted,
    coalesce(l.spent, 0) AS spent,
    coalesce(u.uses, '[]') AS uses
FROM wallet.claims AS c
LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
        'used_at', extract(EPOCH FROM o.used_at), 'what', coalesce(o.class_title, 'visit'), 'amount', o.amount
    ) ORDER BY o.used_at DESC) AS uses
    FROM (
        SELECT w.used_at, w.class_title, w.amount FROM wallet.lot_uses AS w
        WHERE w.account_id = l.account_id AND w.lot_id = l.lot_id
        ORDER BY w.used_at DESC
        LIMIT 1000
    ) AS o
) AS u ON TRUE
WHERE c.granted_at IS NOT NULL AND c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.order_usage IS 'What became of the purchases of an order.';

CREATE VIEW wallet.store_customers AS
SELECT
    c.account_id,
    i.user_id,
    c.store,
    c.environment,
    c.kind,
    c.store_product_id,
    c.purchase_token,
    coalesce(c.original_transaction_id, c.transaction_id) AS chain_id,
    max(c.transaction_id) AS transaction_id,
    -- What a renewal that was never reported leaves behind ended lately, however long ago it was last reported.
    greatest(max(c.source_at), max(c.expires_at)) AS last_reported_at
FROM wallet.claims AS c
-- One row for each user of the account: a user who was merged into it may still be a customer of that name.
LEFT JOIN wallet.identities AS i ON c.account_id = i.account_id
WHERE c.duplicate_of IS NULL
GROUP BY
    c.account_id, i.user_id, c.store, c.environment, c.kind, c.store_product_id, c.purchase_token,
    coalesce(c.original_transaction_id, c.transaction_id);
COMMENT ON VIEW wallet.store_customers IS 'Which purchases of whom a reconciliation asks the stores about.';

-- The same purchases one by one, so that the next accounts are found by their index: those that are not asked for yet
-- need not be grouped to find them.
CREATE VIEW wallet.store_purchase_owners AS
SELECT c.account_id, i.user_id, greatest(c.source_at, c.expires_at) AS last_reported_at
FROM wallet.claims AS c
LEFT JOIN wallet.identities AS i ON c.account_id = i.account_id
WHERE c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.store_purchase_owners IS
'Whose purchases a reconciliation may ask about, and when they were last reported.';
