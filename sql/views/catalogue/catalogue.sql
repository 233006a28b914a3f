-- All products, active or not, in the form that operators read and write.
CREATE VIEW wallet.catalogue AS
SELECT
    p.product_id,
    to_jsonb(p) - ARRAY['product_id', 'price_minor', 'currency', 'app_store_id', 'play_store_id', 'revenuecat_id']
    || jsonb_build_object(
        'price', jsonb_build_object('amount', round(p.price_minor::NUMERIC / 100, 2), 'currency', p.currency),
        'store_ids', jsonb_build_object(
            'app_store', p.app_store_id, 'play_store', p.play_store_id, 'revenuecat', p.revenuecat_id
        )
    ) AS definition
FROM wallet.products AS p;
COMMENT ON VIEW wallet.catalogue IS 'All products, active or not.';
