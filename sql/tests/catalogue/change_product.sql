-- wallet.change_product: an operator changes a product, and the answer counts the grants under its old terms.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- Changes members of an existing product. Returns 'nothing', or the error that it raises.
CREATE FUNCTION pg_temp.change(p_id text, p_members jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format($q$
        SELECT a.audit_id FROM wallet.products AS p, wallet.change_product(
            jsonb_populate_record(p, %L), ROW('dana', 'why', NULL, NULL)::wallet.action_note
        ) AS a WHERE p.product_id = %L
    $q$, p_members, p_id));
$$;
CREATE FUNCTION pg_temp.last_change() RETURNS text LANGUAGE sql AS $$
    SELECT format('%s %s', a.before, a.after) FROM wallet.audit AS a
    WHERE a.action = 'put-product' ORDER BY a.audit_id DESC LIMIT 1;
$$;
SELECT pg_temp.change('threeVisit', '{"price_minor": 5000}');
SELECT is(
    pg_temp.last_change(), '{"price_minor": 4499} {"price_minor": 5000}', 'nothing was granted under the old terms'
);
SELECT pg_temp.buy('ann', 't1', 'threeVisit', '{"store_product_id": "threeVisit"}');
SELECT pg_temp.buy('ann', 't2', 'threeVisit', '{"store_product_id": "threeVisit", "environment": "sandbox"}');
SELECT pg_temp.buy('bob', 't3', 'threeVisit', '{"store_product_id": "threeVisit", "environment": "sandbox"}');
SELECT pg_temp.lesson('a', NULL, 1), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.change('threeVisit', '{"price_minor": 5100}');
SELECT is(
    pg_temp.last_change(), '{"price_minor": 5000} {"price_minor": 5100}',
    'grants that are not summed yet are not counted'
);
SELECT cmp_ok(wallet.sum_days(100), '=', 3, 'three wallets are summed');
SELECT pg_temp.change('threeVisit', '{"price_minor": 5200}');
SELECT is(
    pg_temp.last_change(), '{"price_minor": 5100} {"price_minor": 5200, "granted_under_old_terms": 1}',
    'only production grants count, without bookings'
);
SELECT pg_temp.change('threeVisit', '{}');
SELECT is(pg_temp.last_change(), '{} {}', 'an update without changes counts no grants');
SELECT pg_temp.change(
    'threeVisit', '{"product_id": "new", "app_store_id": "n1", "play_store_id": "n2", "revenuecat_id": "n3"}'
);
SELECT is(
    (SELECT concat_ws(
        ' ', a.before, a.after ->> 'product_id', a.after ? 'granted_under_old_terms', a.after ? 'created_at'
    ) FROM wallet.audit AS a ORDER BY a.audit_id DESC LIMIT 1), '{} new f f', 'a new product was granted under no terms'
);
-- A bundle: each purchase grants two lots of credits and one of visits
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor, app_store_id, bundle_items)
VALUES ('mix', 'pack', 'Mix', 'credit', 10, 2800, 'mix', ARRAY[
    row('visit', 3, 30, NULL)::wallet.bundle_item, row('credit', 1, NULL, NULL)::wallet.bundle_item
]);
SELECT pg_temp.buy('ann', 'm1', 'mix'), pg_temp.buy('bob', 'm2', 'mix'), wallet.sum_days(100);
SELECT pg_temp.change('mix', '{"price_minor": 2900}');
SELECT is(
    pg_temp.last_change(), '{"price_minor": 2800} {"price_minor": 2900, "granted_under_old_terms": 2}',
    'two purchases of a bundle count as two grants'
);

-- Invalid changes
SELECT is(
    pg_temp.change('threeVisit', '{"kind": "pack"}'), 'WL409 product-kind-fixed {"kind": "pass", "unit": "visit"}',
    'another kind'
);
SELECT is(
    pg_temp.change('threeVisit', '{"unit": "credit"}'), 'WL409 product-kind-fixed {"kind": "pass", "unit": "visit"}',
    'another unit'
);
SELECT pg_temp.change(
    'new', '{"product_id": "another", "app_store_id": "a1", "play_store_id": "a2", "revenuecat_id": "a3"}'
);
SELECT is(
    pg_temp.change('threeVisit', t.members), format('WL409 store-id-taken {"product_id": "%s"}', t.taken_by),
    t.members::text
) FROM (VALUES
    ('{"app_store_id": "n1"}'::jsonb, 'new'), ('{"play_store_id": "n2"}', 'new'),
    ('{"revenuecat_id": "a3"}', 'another'),
    ('{"app_store_id": "n1", "play_store_id": "a2"}', 'another'),
    ('{"app_store_id": "a1", "play_store_id": "n2"}', 'another')
) AS t (members, taken_by);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
