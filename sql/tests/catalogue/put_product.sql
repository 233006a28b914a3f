-- wallet.put_product and wallet.write_product: operators edit the catalogue but never sold products (contract:
-- Operators).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.puts(p_id text, p_definition jsonb, p_key text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT wallet.put_product(%L, %L, ''op'', %L)', p_id, p_definition, p_key));
$$;
CREATE FUNCTION pg_temp.product(p_id text) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_strip_nulls(to_jsonb(p)) - 'product_id' - 'created_at' FROM wallet.products AS p WHERE p.product_id = p_id;
$$;
SELECT is(
    pg_temp.puts('big', '{"kind": "pack", "name": "Big", "unit": "credit", "amount": 500, "price_minor": 49900}', 'k1'),
    'nothing', 'a new pack'
);
SELECT is(
    pg_temp.product('big'),
    '{"kind": "pack", "name": "Big", "unit": "credit", "amount": 500, "price_minor": 49900, "description": "",
      "bonus": 0, "currency": "USD", "is_active": true, "is_popular": false, "display_order": 0, "grace_days": 7,
      "tier": 0, "entitlements": [], "unlimited": false, "trial_amount": 0, "rollover_percentage": 0,
      "grant_source": "purchase", "bundle_items": []}', 'omitted members get the catalogue''s defaults'
);
SELECT is(
    pg_temp.puts('plan', '{"kind": "plan", "name": "Plan", "unit": "visit", "amount": 8, "bonus": 1,
      "price_minor": 1, "currency": "EUR", "description": "d", "is_active": false, "is_popular": true,
      "display_order": 3, "app_store_id": "a", "play_store_id": "b", "revenuecat_id": "c", "grace_days": 3, "tier": 4,
      "entitlements": ["x", "y"], "period": "P1M", "unlimited": false, "trial_amount": 2, "rollover_percentage": 50,
      "rollover_cap": 4, "subscription_group": "g", "grant_source": "virtual_currency", "days_ahead": 14}'), 'nothing',
    'every member'
);
SELECT is(
    pg_temp.product('plan'), '{"kind": "plan", "name": "Plan", "unit": "visit", "amount": 8, "bonus": 1,
      "price_minor": 1, "currency": "EUR", "description": "d", "is_active": false, "is_popular": true,
      "display_order": 3, "app_store_id": "a", "play_store_id": "b", "revenuecat_id": "c", "grace_days": 3, "tier": 4,
      "entitlements": ["x", "y"], "period": "P1M", "unlimited": false, "trial_amount": 2, "rollover_percentage": 50,
      "rollover_cap": 4, "subscription_group": "g", "grant_source": "virtual_currency", "days_ahead": 14,
      "bundle_items": []}', 'arrives'
);

-- Keys
SELECT is(
    pg_temp.puts('big', '{"price_minor": 49900, "unit": "credit", "kind": "pack", "name": "Big", "amount": 500,
      "bonus": null, "is_active": true, "no_such_member": 1, "product_id": "other"}', 'k1'), 'nothing',
    'a repeated request may differ in unknown members, nulls and order'
);
SELECT is(
    pg_temp.puts('big', '{"kind": "pack", "name": "Big", "unit": "credit", "amount": 501, "price_minor": 49900}', 'k1'),
    'WL422 idempotency-key-reused', 'other content under the same key is refused'
);
SELECT is(
    pg_temp.puts('b2', '{"kind": "pack", "name": "Big", "unit": "credit", "amount": 500, "price_minor": 49900}', 'k1'),
    'WL422 idempotency-key-reused', 'another product under the same key is refused'
);
SELECT pg_temp.puts('big', '{"kind": "pack", "name": "B", "unit": "credit", "amount": 5, "price_minor": 9}', 'k2');
SELECT is(
    pg_temp.puts('big', '{"kind": "pack", "name": "Big", "unit": "credit", "amount": 500, "price_minor": 49900}', 'k1'),
    'nothing', 'a late replay'
);
SELECT is(pg_temp.product('big') ->> 'name', 'B', 'undoes nothing');

-- Invalid changes
SELECT is(
    pg_temp.puts('big', '{"kind": "pass", "name": "B", "unit": "visit", "amount": 5, "price_minor": 9}'),
    'WL409 product-kind-fixed {"kind": "pack", "unit": "credit"}', 'a pack stays a pack'
);
SELECT is(
    pg_temp.puts('plan', '{"kind": "plan", "name": "B", "unit": "credit", "amount": 5, "price_minor": 9,
      "period": "P1M"}'), 'WL409 product-kind-fixed {"kind": "plan", "unit": "visit"}', 'visits stay visits'
);
SELECT is(
    pg_temp.puts('new', jsonb_build_object('kind', 'pack', 'name', 'B', 'unit', 'credit', 'amount', 5, 'price_minor', 9,
        i.name, 'tenVisit')),
    'WL409 store-id-taken {"product_id": "tenVisit"}', 'another product''s ' || i.name
) FROM (VALUES ('app_store_id'), ('play_store_id'), ('revenuecat_id')) AS i (name);
SELECT is(
    pg_temp.puts('new', '{"kind": "pack", "name": "B", "unit": "credit", "amount": 5, "price_minor": 9}'::jsonb
        || d.definition::jsonb), d.answer, d.definition
) FROM (VALUES
    ('{"kind": "voucher"}', '23514'), ('{"amount": 0}', '23514'), ('{"price_minor": -1}', '23514'),
    ('{"currency": "usd"}', '23514'), ('{"name": ""}', '23514'), ('{"name": null}', '23502'),
    ('{"valid_days": 3}', '23514'), ('{"period": "P1M"}', '23514'), ('{"unit": "gram"}', '22P02'),
    ('{"amount": "many"}', '22P02'), ('{"days_ahead": 3}', '23514')
) AS d (definition, answer);
SELECT is(
    pg_temp.puts('not an id', '{"kind": "pack", "name": "B", "unit": "credit", "amount": 5, "price_minor": 9}'),
    '23514', 'an invalid id is refused'
);
SELECT is_empty(
    $$ SELECT FROM wallet.products AS p WHERE p.product_id = 'new' $$, 'the refused product was not stored'
);

-- Sold products, and purchases that wait for a product
SELECT pg_temp.buy('ann', 't', 'threeVisit'), pg_temp.buy('ann', 'w', 'shop.new', '{"quantity": 2}');
SELECT is(
    pg_temp.puts('threeVisit', '{"kind": "pass", "name": "Four", "unit": "visit", "amount": 4, "price_minor": 5000,
      "app_store_id": "threeVisit"}'), 'nothing', 'a pass for later buyers'
);
SELECT pg_temp.buy('ann', 't', 'threeVisit'), pg_temp.buy('ann', 't4', 'threeVisit');
SELECT is(pg_temp.funds('ann'), '0 7 0 0', 'sold passes keep their terms');
SELECT is(
    pg_temp.puts('fresh', '{"kind": "pack", "name": "B", "unit": "credit", "amount": 5, "price_minor": 900,
      "app_store_id": "shop.new"}'), 'nothing', 'a product that was waited for'
);
SELECT is(pg_temp.funds('ann'), '10 7 0 0', 'the earlier buyer''s purchase is granted');
SELECT is(
    (SELECT concat_ws(' ', c.price_minor, c.currency) FROM wallet.claims AS c WHERE c.transaction_id = 'w'), '900 USD',
    'the claim stores the price at the time of the grant'
);
-- The number of grants under the old terms
CREATE FUNCTION pg_temp.noted() RETURNS text LANGUAGE sql AS $$
    SELECT concat(a.before, ' ', a.after) FROM admin.audit AS a
    WHERE a.action = 'put-product' ORDER BY a.audit_id DESC LIMIT 1;
$$;
CREATE FUNCTION pg_temp.priced(p_minor integer) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.puts('sold', jsonb_build_object('kind', 'pack', 'name', 'B', 'unit', 'credit', 'amount', 5,
        'price_minor', p_minor, 'app_store_id', 'sold'));
$$;
SELECT pg_temp.priced(9), pg_temp.buy('eve', 'b-1', 'sold'), pg_temp.buy('fay', 'b-2', 'sold'), pg_temp.priced(10);
SELECT is(pg_temp.noted(), '{"price_minor": 9} {"price_minor": 10}', 'grants that are not summed yet are not counted');
SELECT wallet.sum_days(1000), pg_temp.priced(11);
SELECT is(
    pg_temp.noted(), '{"price_minor": 10} {"price_minor": 11, "granted_under_old_terms": 2}', 'two have the old terms'
);
SELECT pg_temp.priced(11);
SELECT is(pg_temp.noted(), '{} {}', 'unchanged terms have no count');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
