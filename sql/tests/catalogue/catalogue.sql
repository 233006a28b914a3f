-- wallet.catalogue: operators read the product data that they wrote (contract: Operators).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.put_product('holiday', '{
    "kind": "pass", "name": "Holiday", "unit": "visit", "amount": 3, "bonus": 1, "price_minor": 6050, "currency": "EUR",
    "is_active": false, "valid_days": 30, "app_store_id": "holiday.ios"
}', 'op', 'k1');
SELECT is(
    (SELECT c.definition ->> 'price' FROM wallet.catalogue AS c WHERE c.product_id = 'holiday'),
    '{"amount": 60.50, "currency": "EUR"}', 'the price is in the currency''s major unit'
);
SELECT is(
    (SELECT c.definition ->> 'store_ids' FROM wallet.catalogue AS c WHERE c.product_id = 'holiday'),
    '{"app_store": "holiday.ios", "play_store": null, "revenuecat": null}', 'every store is named'
);
SELECT is(
    (SELECT c.definition - '{price,store_ids}'::text[] FROM wallet.catalogue AS c WHERE c.product_id = 'holiday')
    @> '{"kind": "pass", "amount": 3, "bonus": 1, "valid_days": 30, "is_active": false, "grace_days": 7}', TRUE,
    'all other members are returned as they were written'
);
SELECT is(
    (
        SELECT count(*) FROM wallet.catalogue AS c
        WHERE c.definition ?| '{product_id,price_minor,currency,app_store_id,play_store_id,revenuecat_id}'::text[]
    ), 0::bigint, 'nothing is listed twice'
);
SELECT * FROM finish();
ROLLBACK;
