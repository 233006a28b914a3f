-- wallet.admin_write_product: changes of the catalogue through admin.products, under the operators' rules.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.as_admin(p_statement text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(p_statement, 'wallet_admin');
$$;
CREATE FUNCTION pg_temp.sets(p_change text, p_id text DEFAULT 'ten') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.as_admin(format('UPDATE admin.products SET %s WHERE product_id = %L', p_change, p_id));
$$;
SELECT is(
    pg_temp.as_admin($$ INSERT INTO admin.products (
        product_id, kind, name, unit, amount, price_minor, valid_days, app_store_id
    ) VALUES ('ten', 'pass', 'Ten', 'visit', 10, 9900, 30, 'app.ten') $$), 'nothing', 'a product is made'
);
SELECT results_eq(
    $$ SELECT p.kind, p.bonus, p.currency, p.is_active, p.grace_days FROM wallet.products AS p
       WHERE p.product_id = 'ten' $$,
    $$ VALUES ('pass', 0::bigint, 'USD', TRUE, 7) $$, 'omitted columns get the catalogue''s defaults'
);
SELECT is(
    pg_temp.as_admin($$ INSERT INTO admin.products (product_id, kind, name, unit, amount, price_minor)
        VALUES ('ten', 'pack', 'Again', 'credit', 1, 1) $$), 'WL409 product-exists', 'an INSERT replaces nothing'
);
SELECT pg_temp.buy('ann', 't1', 'app.ten');
SELECT is(pg_temp.funds('ann'), '0 10 0 0', 'the new product can be bought');
SELECT is(pg_temp.sets(c.change), c.said, c.change) FROM (VALUES
    ('product_id = ''eleven''', 'WL422 column-not-editable'),
    ('kind = ''pack'', unit = ''credit'', valid_days = NULL',
        'WL409 product-kind-fixed {"kind": "pass", "unit": "visit"}'),
    ('unit = ''credit''', 'WL409 product-kind-fixed {"kind": "pass", "unit": "visit"}'),
    ('amount = 12.6', '23514'), ('bonus = 0.5', '23514'), ('price_minor = 99.9', '23514'),
    ('rollover_percentage = 33.3', '23514'), ('amount = 0', '23514'),
    ('app_store_id = ''com.hobbyist.bookingapp.credits.starter''', NULL),
    ('amount = 12, name = ''Twelve''', 'nothing')
) AS c (change, said) WHERE c.said IS NOT NULL;
SELECT alike(
    pg_temp.sets('app_store_id = ''com.hobbyist.bookingapp.credits.starter'''), 'WL409 store-id-taken%',
    'another product''s store id is refused'
);
SELECT results_eq(
    $$ SELECT p.amount, p.name, p.valid_days FROM wallet.products AS p WHERE p.product_id = 'ten' $$,
    $$ VALUES (12::bigint, 'Twelve', 30) $$, 'the given columns change, and the others stay'
);
SELECT is((SELECT p.transaction_id FROM wallet.passes AS p), 't1', 'the pass that was sold is still shown');
SELECT is(pg_temp.as_admin('DELETE FROM admin.products'), '42501', 'a product is not removed');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
