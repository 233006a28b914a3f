-- Subscription tiers on sale, as GET /plans shows them.
CREATE VIEW wallet.plans AS
SELECT
    p.product_id,
    p.name,
    p.description,
    p.unit,
    p.amount + p.bonus AS amount,
    round(p.price_minor::NUMERIC / 100, 2) AS price,
    p.currency,
    round(p.price_minor::NUMERIC / 100 / nullif(p.amount + p.bonus, 0), 2) AS price_per_credit,
    p.is_popular,
    p.display_order,
    p.tier,
    p.entitlements,
    p.period,
    p.unlimited,
    p.rollover_percentage,
    p.trial_amount,
    p.app_store_id,
    p.play_store_id,
    p.revenuecat_id
FROM wallet.products AS p
WHERE p.is_active AND p.kind = 'plan';
COMMENT ON VIEW wallet.plans IS 'Subscription tiers on sale.';
