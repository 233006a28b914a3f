-- wallet.offers_for: what covers a need, cheapest first (contract: 402).
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.packs(p_unit wallet.unit, p_needed bigint) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(p.value ->> 'name', ', ' ORDER BY p.ordinality)
    FROM jsonb_array_elements(wallet.offers_for(p_unit, p_needed) -> 'packs') WITH ORDINALITY AS p;
$$;
SELECT is(pg_temp.packs('credit', 1), 'Starter, Explorer, Enthusiast, Power', 'every pack covers one credit');
SELECT is(pg_temp.packs('credit', 25), 'Starter, Explorer, Enthusiast, Power', 'a pack covers exactly what it holds');
SELECT is(pg_temp.packs('credit', 26), 'Explorer, Enthusiast, Power', 'and no more');
SELECT is(pg_temp.packs('credit', 201), NULL, 'nothing covers more than the largest');
SELECT is(pg_temp.packs('visit', 4), 'Five visits, Ten visits', 'passes for visits');
SELECT is(
    wallet.offers_for('credit', 150) -> 'packs',
    '[{"product_id": "com.hobbyist.bookingapp.credits.power", "name": "Power", "unit": "credit", "credits": 200,
       "bonus_credits": 0, "total_credits": 200, "price": {"amount": 299.00, "currency": "USD"},
       "price_per_credit": 1.50}]', 'with price and credits'
);
SELECT is(
    (SELECT string_agg(p.value ->> 'tier', ' ' ORDER BY p.ordinality)
    FROM jsonb_array_elements(wallet.offers_for('credit', 1) -> 'plans') WITH ORDINALITY AS p), '1 2 3', 'and the plans'
);
UPDATE wallet.products SET price_minor = 1 WHERE product_id LIKE '%power';
SELECT is(pg_temp.packs('credit', 26), 'Power, Explorer, Enthusiast', 'the cheapest first');
UPDATE wallet.products SET is_active = FALSE WHERE kind = 'pack';
SELECT is(wallet.offers_for('credit', 1) -> 'packs', '[]', 'what is not on sale is not offered');
SELECT pg_temp.lesson('a', 20);
SELECT is(
    (pg_temp.ask('quote', 'ann', 'k', 'a')).detail -> 'offers', wallet.offers_for('credit', 20), 'a 402 carries them'
);
SELECT * FROM finish();
ROLLBACK;
