-- Packs and passes on sale, as GET /packs shows them.
CREATE VIEW wallet.packs AS
WITH priced AS (
    SELECT
        p.*,
        p.amount + p.bonus AS total,
        round(p.price_minor::NUMERIC / 100, 2) AS price,
        round(p.price_minor::NUMERIC / 100 / (p.amount + p.bonus), 2) AS each,
        first_value(p.price_minor::NUMERIC / (p.amount + p.bonus)) OVER (
            PARTITION BY p.unit, p.currency ORDER BY p.amount + p.bonus, p.product_id
        ) AS smallest_each
    FROM wallet.products AS p
    WHERE p.is_active AND p.kind IN ('pack', 'pass')
)

SELECT
    p.product_id,
    p.kind,
    p.name,
    p.description,
    p.unit,
    p.amount AS credits,
    p.bonus AS bonus_credits,
    p.total AS total_credits,
    p.price,
    p.currency,
    p.each AS price_per_credit,
    greatest(
        0, floor(100 * (1 - p.price_minor::NUMERIC / p.total / nullif(p.smallest_each, 0)))
    )::INTEGER AS savings_percentage,
    p.is_popular,
    p.display_order,
    p.valid_days,
    p.starts_within_days,
    to_jsonb(p.bundle_items) AS bundle_items,
    p.app_store_id,
    p.play_store_id,
    p.revenuecat_id,
    p.created_at
FROM priced AS p;
COMMENT ON VIEW wallet.packs IS 'Packs and passes on sale.';
