-- wallet.insufficient_credits: a refusal with offers that would cover the booking (contract: 402), for bookings and
-- quotes.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('both', 20, 1), pg_temp.lesson('credits', 20), pg_temp.lesson('visits', NULL, 1);
CREATE FUNCTION pg_temp.short(p_class_id text, p_seats integer DEFAULT 1, p_pay_with text DEFAULT NULL) RETURNS jsonb
LANGUAGE sql AS $$
    SELECT (pg_temp.ask('quote', 'ann', 'k', p_class_id, p_seats, p_pay_with)).detail;
$$;
CREATE FUNCTION pg_temp.units(p_detail jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT p.value ->> 'unit', ' ') FROM jsonb_array_elements(p_detail #> '{offers,packs}') AS p;
$$;
SELECT pg_temp.gift('ann', 5), pg_temp.gift('ann', 1, 'visit');
SELECT is(
    pg_temp.short('both', 2) - 'offers',
    '{"unit": "credit", "credits_required": 40, "credits_available": 5, "credits_needed": 35, "shortages": [
        {"unit": "visit", "required": 2, "available": 1, "needed": 1},
        {"unit": "credit", "required": 40, "available": 5, "needed": 35}]}',
    'the answer counts credits where the class takes them, with all that could pay'
);
SELECT is(pg_temp.units(pg_temp.short('both', 2)), 'credit visit', 'either unit is offered');
SELECT is(
    pg_temp.short('both', 2) -> 'offers',
    wallet.offers_for('{"visit": 1, "credit": 35}', 2, wallet.now() + interval '3 days'),
    'the offers cover the class and the number of seats'
);
SELECT is(
    pg_temp.short('visits', 3) - 'offers',
    '{"unit": "visit", "credits_required": 3, "credits_available": 1, "credits_needed": 2,
      "shortages": [{"unit": "visit", "required": 3, "available": 1, "needed": 2}]}', 'else in visits'
);
SELECT is(pg_temp.units(pg_temp.short('credits')), 'credit', 'only credits for a class that accepts only credits');
SELECT is(pg_temp.units(pg_temp.short('both', 2, 'visits')), 'visit', 'only visits if the request pays with visits');
SELECT is(pg_temp.units(pg_temp.short('both', 2, 'credits')), 'credit', 'a request for credits names credits');
SELECT is(
    pg_temp.units(pg_temp.short('both', 2, (
        SELECT l.lot_id::text FROM wallet.lots AS l WHERE l.unit = 'visit'
    ))), 'visit', 'a request for a lot names its unit'
);
SELECT is(
    (pg_temp.book('ann', 'k', 'both', 2)).detail, pg_temp.short('both', 2), 'a booking and its quote are refused alike'
);
SELECT * FROM finish();
ROLLBACK;
