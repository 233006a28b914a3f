-- Purchases of packs of credits with their price in the catalogue at that time and their granted amount.
CREATE VIEW wallet.pack_purchases AS
SELECT
    c.account_id,
    c.claim_id,
    c.environment,
    coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id) AS transaction_id,
    p.product_id,
    p.name,
    p.description,
    coalesce(l.granted, 0) AS granted,
    -- A past bonus is known only if it still equals the catalogue's bonus.
    CASE WHEN l.granted = c.quantity * (p.amount + p.bonus) THEN c.quantity * p.bonus ELSE 0 END AS bonus,
    c.quantity * c.price_minor AS paid_minor,
    c.currency,
    c.purchased_at,
    coalesce(c.granted_at, c.purchased_at) AS updated_at,
    CASE
        WHEN c.refunded_millionths = 1000000 OR c.verdict = 'refunded' THEN 'refunded'
        -- A purchase from before the cut-over was paid and credited in the previous system.
        WHEN c.granted_at IS NOT NULL OR c.verdict = 'before-cut-over' THEN 'completed'
        WHEN c.verdict = 'pending' THEN 'pending'
        ELSE 'failed'
    END AS status
FROM wallet.claims AS c
INNER JOIN wallet.products AS p
    ON
        p.kind = 'pack'
        AND CASE
            WHEN c.product_id IS NOT NULL THEN c.product_id = p.product_id
            WHEN c.store = 'play_store' THEN c.store_product_id = p.play_store_id
            ELSE c.store_product_id = p.app_store_id
        END
-- The further lots of a bundle are not credits of the pack.
LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id AND l.bundle_item = 0
WHERE c.duplicate_of IS NULL;
COMMENT ON VIEW wallet.pack_purchases IS 'Purchases of packs with their price and granted amount.';
