-- wallet.put_class: classes as operators make and change them.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.put(
    p_capacity integer, p_credits bigint DEFAULT 20, p_key text DEFAULT NULL, p_class_id text DEFAULT 'a',
    p_title text DEFAULT 'A', p_length interval DEFAULT '1 hour', p_visits bigint DEFAULT NULL,
    p_free integer DEFAULT 60
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.put_class(%L, %L, %L, %L, %L, %L, %L, %L, %L, %L)', p_class_id, p_title,
        '2030-01-05 10:00:00+00'::timestamptz, '2030-01-05 10:00:00+00'::timestamptz + p_length, p_capacity, p_credits,
        p_visits, p_free, 'operator', p_key
    ));
$$;
SELECT is(pg_temp.put(3, p_key => 'k1'), 'nothing', 'a class is made');
SELECT results_eq(
    $$ SELECT c.environment::text, c.capacity, c.seats_left, c.price_credits, c.price_visits, c.free_minutes_before,
       c.status
       FROM wallet.class_list AS c WHERE c.class_id = 'a' ORDER BY c.environment $$,
    $$ VALUES ('production', 3, 3, 20::bigint, NULL::bigint, 60, 'scheduled'),
              ('sandbox', 3, 3, 20, NULL, 60, 'scheduled') $$, 'with as many seats in each environment'
);
SELECT is(pg_temp.put(2, p_key => 'k2'), 'nothing', 'and changed');
SELECT is(pg_temp.put(3, p_key => 'k1'), 'nothing', 'a replay of the first request');
SELECT is(
    (SELECT c.capacity FROM wallet.class_list AS c WHERE c.class_id = 'a' AND c.environment = 'sandbox'), 2,
    'does not undo the second'
);
SELECT is(pg_temp.put(5, p_key => 'k1'), 'WL422 idempotency-key-reused', 'another request under its key is refused');
SET LOCAL timezone = 'Asia/Tokyo';
SELECT is(pg_temp.put(3, p_key => 'k1'), 'nothing', 'the same instant in another time zone is the same request');
SET LOCAL timezone = 'UTC';

-- Sold seats stay sold, in both environments
SELECT pg_temp.gift('ann', 100), pg_temp.gift('ann', 100, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('ann', 'b1', 'a'), pg_temp.book('ann', 'b2', 'a', 2, NULL, NULL, 'sandbox');
SELECT is(
    pg_temp.put(1), 'WL409 capacity-below-sold {"capacity": 1, "seats_sold": 2}', 'not below what either has sold'
);
SELECT is(pg_temp.put(2), 'nothing', 'to exactly that it may go');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'b3', 'a')), '409 already-booked', 'and is full in one');
SELECT is(pg_temp.put(2, 50), 'nothing', 'a new price');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'b1')), '200 cancelled 20 credit returned 20', 'is not that of sold seats'
);
SELECT is(pg_temp.answer(pg_temp.book('ann', 'b4', 'a')), '201 booked 50 credit', 'but of later ones');
SELECT wallet.cancel_class('a', 'the roof leaks', 'operator', NULL);
SELECT is(pg_temp.put(9), 'WL409 class-closed', 'a cancelled class is not changed');

-- What no class can be
SELECT is(pg_temp.raised('SELECT 1'), 'nothing', 'a statement that works');
SELECT is(pg_temp.put(i.capacity, i.credits, NULL, i.id, i.title, i.length::interval, i.visits, i.free), i.state,
    i.what)
FROM (VALUES
    (-1, 20, 'n', 'N', '1 hour', NULL, 60, '23514', 'less than no seats'),
    (100001, 20, 'n', 'N', '1 hour', NULL, 60, '23514', 'too many seats'),
    (NULL, 20, 'n', 'N', '1 hour', NULL, 60, '23502', 'seats missing'),
    (1, 0, 'n', 'N', '1 hour', NULL, 60, '23514', 'a price of 0'),
    (1, -5, 'n', 'N', '1 hour', NULL, 60, '23514', 'a negative price: booking would pay the customer'),
    (1, 1000001, 'n', 'N', '1 hour', NULL, 60, '23514', 'an absurd price'),
    (1, 20, 'n', 'N', '1 hour', -1, 60, '23514', 'a negative price in visits'),
    (1, NULL, 'n', 'N', '1 hour', NULL, 60, '23514', 'no price at all'),
    (1, 20, 'n n', 'N', '1 hour', NULL, 60, '23514', 'an id with a space'),
    (1, 20, repeat('n', 65), 'N', '1 hour', NULL, 60, '23514', 'an id too long'),
    (1, 20, 'n', '', '1 hour', NULL, 60, '23514', 'no title'),
    (1, 20, 'n', 'N', '0', NULL, 60, '23514', 'an end at the start'),
    (1, 20, 'n', 'N', '1 hour', NULL, -1, '23514', 'a negative cancellation period'),
    (1, 20, 'n', 'N', '1 hour', NULL, NULL, '23502', 'none')
) AS i (capacity, credits, id, title, length, visits, free, state, what);
SELECT is(pg_temp.put(0, p_class_id => 'none'), 'nothing', 'a class without seats may be');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'n', 'none')), '409 class-full', 'and is full');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
