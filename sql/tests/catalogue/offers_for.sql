-- wallet.offers_for: products that cover a need, the cheapest first (contract: 402).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.packs(p_needs jsonb, p_ahead interval DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        concat_ws(' ', nullif(p.value ->> 'quantity', '1'), p.value ->> 'name'), ', ' ORDER BY p.ordinality
    )
    FROM jsonb_array_elements(wallet.offers_for(p_needs, 1, wallet.now() + p_ahead) -> 'packs') WITH ORDINALITY AS p;
$$;
CREATE FUNCTION pg_temp.plans(p_needs jsonb, p_seats integer, p_ahead interval DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', p.value ->> 'tier', CASE WHEN (p.value ->> 'covers')::boolean THEN 'covers' END),
        ', ' ORDER BY p.ordinality)
    FROM jsonb_array_elements(
        wallet.offers_for(p_needs, p_seats, wallet.now() + p_ahead) -> 'plans'
    ) WITH ORDINALITY AS p;
$$;
SELECT is(pg_temp.packs('{"credit": 1}'), 'Starter, Explorer, Enthusiast, Power', 'every pack covers one credit');
SELECT is(
    pg_temp.packs('{"credit": 25}'), 'Starter, Explorer, Enthusiast, Power', 'a pack covers its exact amount'
);
SELECT is(pg_temp.packs('{"credit": 26}'), 'Explorer, Enthusiast, Power', 'one credit more needs a larger pack');
SELECT is(
    pg_temp.packs('{"credit": 201}'), '9 Starter, 5 Explorer, 3 Enthusiast, 2 Power',
    'above the largest pack, several of one pack, the cheapest sum first'
);
SELECT is(pg_temp.packs('{"visit": 4}'), 'Five visits, Ten visits', 'passes for visits');
SELECT is(
    pg_temp.packs('{"visit": 11}'), '11 Single visit, 4 Three visits, 3 Five visits, 2 Ten visits',
    'several small passes also cover the need'
);
SELECT is(
    pg_temp.packs('{"credit": 26, "visit": 4}'), 'Five visits, Explorer, Ten visits, Enthusiast, Power',
    'where either unit pays, both, the cheapest first'
);
SELECT is(
    pg_temp.packs('{"credit": 201, "visit": 10}'), 'Ten visits, 9 Starter, 5 Explorer, 3 Enthusiast, 2 Power',
    'several only of the unit of which one is not enough'
);
SELECT is(pg_temp.packs('{}'), NULL, 'no need gives no offers');
SELECT is(
    wallet.offers_for('{"credit": 350}', 1) -> 'packs' -> 0,
    '{"product_id": "com.hobbyist.bookingapp.credits.power", "name": "Power", "unit": "credit", "credits": 200,
       "bonus_credits": 0, "total_credits": 200, "quantity": 2, "price": {"amount": 299.00, "currency": "USD"},
       "total_price": {"amount": 598.00, "currency": "USD"}, "price_per_credit": 1.50, "savings_percentage": 23,
       "is_popular": false, "store_ids": {"app_store": "com.hobbyist.bookingapp.credits.power",
       "play_store": "com.hobbyist.bookingapp.credits.power",
       "revenuecat": "com.hobbyist.bookingapp.credits.power"}}', 'an offer contains price, credits and store ids'
);
UPDATE wallet.products SET bonus = 5 WHERE product_id LIKE '%credits.starter';
SELECT is(pg_temp.packs('{"credit": 30}'), 'Starter, Explorer, Enthusiast, Power', 'the bonus counts');

-- A pass must be valid until the class
SELECT is(
    pg_temp.packs('{"visit": 1}', '60 days - 1 second'), 'Three visits, Five visits, Ten visits',
    'a pass that ends before the class is no way out'
);
SELECT is(
    pg_temp.packs('{"visit": 1}', '60 days'), 'Five visits, Ten visits',
    'a pass that ends when the class begins is not offered'
);
SELECT set_config('t.now', '2030-03-01 12:00:00+00', TRUE), set_config('timezone', 'America/New_York', TRUE);
SELECT is(
    pg_temp.packs('{"visit": 1}', '719 hours 59 minutes'), 'Single visit, Three visits, Five visits, Ten visits',
    'a pass''s days have 24 hours in every session time zone'
);
SELECT ok(
    (wallet.offers_for('{"visit": 3}', 2, '2030-04-01 11:59:59+00') #>> '{plans, 0, covers}')::boolean,
    'a plan''s months are counted in UTC'
);
SELECT set_config('t.now', '2030-01-01 12:00:00+00', TRUE), set_config('timezone', 'UTC', TRUE);
SELECT is(
    pg_temp.packs('{"visit": 7}', '100 days'), 'Ten visits', 'a short pass is not offered in larger numbers either'
);
SELECT is(pg_temp.packs('{"visit": 1}', '1 year'), NULL, 'no pass is valid for that long');
SELECT is(pg_temp.packs('{"credit": 1}', '10 years'), 'Starter, Explorer, Enthusiast, Power', 'credits do');

-- Plans
SELECT is(pg_temp.plans('{"visit": 1}', 1), '1 covers, 2 covers, 3 covers', 'plans, the cheapest first');
SELECT is(pg_temp.plans('{"visit": 1}', 2), '1 covers, 2 covers, 3', 'an unlimited one covers one seat');
SELECT is(pg_temp.plans('{"visit": 5}', 5), '2 covers, 1, 3', 'those that cover first');
SELECT is(pg_temp.plans('{"credit": 1}', 1), '3 covers, 1, 2', 'visits are no credits');
SELECT is(pg_temp.plans('{"visit": 1}', 1, '40 days'), '3 covers, 1, 2', 'a period''s visits end with it');
SELECT is(pg_temp.plans('{"visit": 1}', NULL), '1 covers, 2 covers, 3', 'where nothing is booked');
SELECT is(
    wallet.offers_for('{"visit": 1}', 1) -> 'plans' -> 0,
    '{"product_id": "com.hobbyist.bookingapp.subscription.explorer", "name": "Hobbyist Explorer", "tier": 1,
      "period": "P1M", "unlimited": false, "unit": "visit", "amount": 4, "trial_amount": 0, "covers": true,
      "price": {"amount": 49.00, "currency": "USD"}, "store_ids": {
          "app_store": "com.hobbyist.bookingapp.subscription.explorer",
          "play_store": "com.hobbyist.bookingapp.subscription.explorer",
          "revenuecat": "com.hobbyist.bookingapp.subscription.explorer"}}', 'a plan''s offer has the same members'
);

-- Only active products, and a limited number of them
UPDATE wallet.products SET price_minor = 1 WHERE product_id LIKE '%power';
SELECT is(pg_temp.packs('{"credit": 31}'), 'Power, Explorer, Enthusiast', 'the cheapest first');
INSERT INTO wallet.products (product_id, kind, name, unit, amount, price_minor)
SELECT 'many.' || n, 'pack', 'Many', 'credit', 1000, 100000 + n FROM generate_series(1, 30) AS n;
SELECT is(jsonb_array_length(wallet.offers_for('{"credit": 1}', 1) -> 'packs'), 20, 'the number of packs is limited');
UPDATE wallet.products SET is_active = FALSE;
SELECT is(wallet.offers_for('{"credit": 1}', 1), '{"packs": [], "plans": []}', 'inactive products are not offered');
SELECT * FROM finish();
ROLLBACK;
