-- wallet.product_of: the product by its store's id and kind, or the product that was granted.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.product(p_store text, p_store_product text, p_kind text DEFAULT 'one_time',
    p_product text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    v_claim.store := p_store;
    v_claim.store_product_id := p_store_product;
    v_claim.kind := p_kind;
    v_claim.product_id := p_product;
    RETURN (wallet.product_of(v_claim)).product_id;
END;
$$;
UPDATE wallet.products SET app_store_id = 'at.apple', play_store_id = 'at.google', revenuecat_id = 'at.rc'
WHERE product_id = 'singleVisit';
SELECT is(pg_temp.product('app_store', 'at.apple'), 'singleVisit', 'Apple''s id');
SELECT is(pg_temp.product('play_store', 'at.google'), 'singleVisit', 'Google''s id');
SELECT is(pg_temp.product('stripe', 'at.rc'), 'singleVisit', 'another store''s id, as reported by RevenueCat');
SELECT is(pg_temp.product('app_store', 'at.google'), NULL, 'a store''s id does not count at another store');
SELECT is(pg_temp.product('app_store', 'at.apple', 'subscription'), NULL, 'a pass is no subscription');
SELECT is(
    pg_temp.product('app_store', 'com.hobbyist.bookingapp.subscription.explorer', 'one_time'), NULL,
    'a plan is bought as a subscription only'
);
SELECT is(
    pg_temp.product('app_store', 'gone', 'one_time', 'threeVisit'), 'threeVisit', 'a granted product stays the same'
);
SELECT is(
    pg_temp.product('app_store', 'gone', 'subscription', 'threeVisit'), 'threeVisit',
    'even if an administrator has changed the product''s kind since'
);
SELECT is(pg_temp.product(NULL, NULL), NULL, 'a missing id finds no product');

-- Base plans of Google Play
UPDATE wallet.products SET play_store_id = 'plan' WHERE product_id LIKE '%subscription.explorer';
UPDATE wallet.products SET play_store_id = 'plan:yearly' WHERE product_id LIKE '%subscription.enthusiast';
SELECT is(pg_temp.product('play_store', 'plan:' || b.base, 'subscription'), b.product_id, 'base plan ' || b.base)
FROM (VALUES
    ('monthly', 'com.hobbyist.bookingapp.subscription.explorer'),
    ('yearly', 'com.hobbyist.bookingapp.subscription.enthusiast')
) AS b (base, product_id);
SELECT is(
    pg_temp.product('play_store', 'plan', 'subscription'), 'com.hobbyist.bookingapp.subscription.explorer',
    'a product id without a base plan'
);
SELECT is(
    pg_temp.product('play_store', 'planet:monthly', 'subscription'), NULL, 'an id that only begins alike is another'
);
SELECT * FROM finish();
ROLLBACK;
