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
