-- Data for requests to the stores: purchases to acknowledge, the use of a purchase, and the purchases that a
-- reconciliation checks.
CREATE VIEW wallet.unacknowledged AS
SELECT c.claim_id, c.kind, c.store_product_id, t.purchase_token
FROM wallet.claims AS c
-- If the payment was reported without the token, a duplicate of the claim may have it.
CROSS JOIN LATERAL (
    SELECT coalesce(c.purchase_token, (
        SELECT d.purchase_token FROM wallet.claims AS d
        WHERE d.duplicate_of = c.claim_id AND d.purchase_token IS NOT NULL
        ORDER BY d.claim_id
        LIMIT 1
    )) AS purchase_token
) AS t
WHERE
    c.needs_acknowledgement AND c.granted_at IS NOT NULL AND c.store = 'play_store' AND t.purchase_token IS NOT NULL
    -- The store accepts one acknowledgement for all products of a purchase, so it waits until all are granted.
    AND NOT EXISTS (
        SELECT FROM unnest(c.purchase_products) AS p (label)
        WHERE NOT EXISTS (
            -- Claims of one purchase share an identifier, which a duplicate may have.
            SELECT FROM wallet.claims AS k
            INNER JOIN wallet.claims AS n
                ON
                    k.store = n.store AND k.environment = n.environment AND (
                        k.transaction_id = n.transaction_id OR k.order_id = n.order_id
                        OR (k.purchase_token = n.purchase_token AND k.kind = 'one_time' AND n.kind = 'one_time')
                    )
            INNER JOIN wallet.claims AS o ON coalesce(n.duplicate_of, n.claim_id) = o.claim_id
            WHERE
                (k.claim_id = c.claim_id OR k.duplicate_of = c.claim_id)
                AND wallet.is_called(o, ARRAY[p.label])
                AND (o.granted_at IS NOT NULL OR o.refunded_millionths = 1000000)
        )
    );
COMMENT ON VIEW wallet.unacknowledged IS
'Granted purchases, with all their products, that must be acknowledged to the store.';

CREATE VIEW wallet.consumptions AS
SELECT c.store, c.environment, c.transaction_id, l.granted, l.spent
FROM wallet.claims AS c
CROSS JOIN LATERAL (
    SELECT sum(o.granted)::BIGINT AS granted, sum(o.spent)::BIGINT AS spent FROM wallet.lots AS o
    WHERE o.claim_id = c.claim_id
    HAVING count(*) > 0
) AS l
WHERE c.transaction_id IS NOT NULL;
COMMENT ON VIEW wallet.consumptions IS
'The granted and used amount of each purchase; for a bundle, the sum of its credits and visits.';

-- The use of the purchases of an order, for a store that reviews a refund: their share, and the latest thousand uses of
-- each. An amount granted beyond a purchase's share of a commitment is not included. Each lot of a bundle has a row.
CREATE VIEW wallet.order_usage AS
SELECT
    c.store,
    coalesce(c.order_id, c.transaction_id) AS order_id,
    coalesce(l.granted - wallet.claim_refunded(c, l.bundle_item) + wallet.refunded_part(c, l.granted), 0) AS granted,
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
COMMENT ON VIEW wallet.order_usage IS 'The use of the purchases of an order.';

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
    -- If a renewal was never reported, the purchase ended recently, even if its last report is old.
    greatest(max(c.source_at), max(c.expires_at)) AS last_reported_at
FROM wallet.claims AS c
-- One row for each user of the account, because a merged user may still be a customer under the old user id.
LEFT JOIN wallet.identities AS i ON c.account_id = i.account_id
WHERE c.duplicate_of IS NULL
GROUP BY
    c.account_id, i.user_id, c.store, c.environment, c.kind, c.store_product_id, c.purchase_token,
    coalesce(c.original_transaction_id, c.transaction_id);
COMMENT ON VIEW wallet.store_customers IS
'The purchases that a reconciliation checks with the stores, with their users.';

-- The same purchases without grouping, so that the next accounts are found by an index. Accounts that are not checked
-- yet need no grouping.
CREATE VIEW wallet.store_purchase_owners AS
SELECT c.account_id, i.user_id, greatest(c.source_at, c.expires_at) AS last_reported_at
FROM wallet.claims AS c
LEFT JOIN wallet.identities AS i ON c.account_id = i.account_id
WHERE c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.store_purchase_owners IS
'The accounts whose purchases a reconciliation may check, and when the purchases were last reported.';
