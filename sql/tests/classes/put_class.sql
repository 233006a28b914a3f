-- wallet.put_class: operators create and change classes.
BEGIN;
\ir ../support/books.sql
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
              ('sandbox', 3, 3, 20, NULL, 60, 'scheduled') $$, 'each environment has the same number of seats'
);
SELECT is(pg_temp.put(2, p_key => 'k2'), 'nothing', 'the class is changed');
SELECT is(pg_temp.put(3, p_key => 'k1'), 'nothing', 'a replay of the first request');
SELECT is(
    (SELECT c.capacity FROM wallet.class_list AS c WHERE c.class_id = 'a' AND c.environment = 'sandbox'), 2,
    'a replay of the first request does not undo the second'
);
SELECT is(pg_temp.put(5, p_key => 'k1'), 'WL422 idempotency-key-reused', 'another request under its key is refused');
SET LOCAL timezone = 'Asia/Tokyo';
SELECT is(pg_temp.put(3, p_key => 'k1'), 'nothing', 'the same instant in another time zone is the same request');
SET LOCAL timezone = 'UTC';

-- Sold seats stay sold, in both environments
SELECT pg_temp.gift('ann', 100), pg_temp.gift('ann', 100, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('ann', 'b1', 'a'), pg_temp.book('ann', 'b2', 'a', 2, NULL, NULL, 'sandbox');
SELECT is(
    pg_temp.put(1), 'WL409 capacity-below-sold {"capacity": 1, "seats_sold": 2}',
    'the capacity cannot be below the seats sold in either environment'
);
SELECT is(pg_temp.put(2), 'nothing', 'the capacity can equal the seats sold');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'b3', 'a')), '409 already-booked', 'the class is full in one environment');
SELECT is(pg_temp.put(2, 50), 'nothing', 'a new price');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'b1')), '200 cancelled 20 credit returned 20',
    'a new price does not apply to sold seats'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'b4', 'a')), '201 booked 50 credit', 'the new price applies to later bookings'
);
SELECT wallet.cancel_class('a', 'the roof leaks', 'operator', NULL);
SELECT is(pg_temp.put(9), 'WL409 class-closed', 'a cancelled class is not changed');

-- Invalid classes
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
    (1, NULL, 'n', 'N', '1 hour', NULL, 60, '23514', 'a class without a price'),
    (1, 20, 'n n', 'N', '1 hour', NULL, 60, '23514', 'an id with a space'),
    (1, 20, repeat('n', 65), 'N', '1 hour', NULL, 60, '23514', 'an id too long'),
    (1, 20, 'n', '', '1 hour', NULL, 60, '23514', 'no title'),
    (1, 20, 'n', 'N', '0', NULL, 60, '23514', 'an end at the start'),
    (1, 20, 'n', 'N', '1 hour', NULL, -1, '23514', 'a negative cancellation period'),
    (1, 20, 'n', 'N', '1 hour', NULL, NULL, '23502', 'none')
) AS i (capacity, credits, id, title, length, visits, free, state, what);
SELECT is(pg_temp.put(0, p_class_id => 'none'), 'nothing', 'a class without seats may be');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'n', 'none')), '409 class-full', 'a class with capacity 0 is full');
SELECT is(wallet.settle_classes(10), 2, 'the bookings get everything back');

-- Limits are replaced like all other values
CREATE FUNCTION pg_temp.limit(p_limits wallet.class_limits, p_key text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.put_class(%L, %L, %L, %L, 5, 20, NULL, 60, %L, %L, %L)', 'l', 'L',
        '2030-01-05 10:00:00+00'::timestamptz, '2030-01-05 11:00:00+00'::timestamptz, 'operator', p_key, p_limits
    ));
$$;
CREATE FUNCTION pg_temp.limits() RETURNS text LANGUAGE sql AS $$
    SELECT ROW(c.max_seats, c.days_ahead, c.opens_minutes_before, c.closes_minutes_before, c.max_overlaps,
        c.waitlist_cutoff_minutes, c.waitlist_length)::text
    FROM wallet.class_list AS c WHERE c.class_id = 'l' AND c.environment = 'production';
$$;
SELECT is(pg_temp.limit(NULL, 'l1'), 'nothing', 'a class without limits');
SELECT is(pg_temp.limits(), '(,,,,,60,0)', 'the class has only the default cutoff');
SELECT is(pg_temp.limit('(1,2,3,2,4,5)', 'l2'), 'nothing', 'a class with all');
SELECT is(pg_temp.limits(), '(1,2,3,2,4,5,0)', 'the class has the limits');
SELECT is(pg_temp.limit('(1,,,,,0)', 'l3'), 'nothing', 'omitted limits');
SELECT is(pg_temp.limits(), '(1,,,,,0,0)', 'omitted limits are removed');
SELECT is(pg_temp.limit('(1,2,3,2,4,5)', 'l2'), 'nothing', 'a replay');
SELECT is(pg_temp.limits(), '(1,,,,,0,0)', 'changes nothing');
SELECT is(pg_temp.limit('(1,2,3,2,4,6)', 'l2'), 'WL422 idempotency-key-reused', 'other limits under its key');
SELECT is(pg_temp.limit('(,,,,,60)', 'l1'), 'nothing', 'default limits equal omitted ones');
SELECT is(
    (SELECT r.request_digest FROM wallet.operator_requests AS r WHERE r.idempotency_key = 'l1'), sha256(convert_to(
        jsonb_build_array(
            'l', 'L', extract(EPOCH FROM '2030-01-05 10:00:00+00'::timestamptz),
            extract(EPOCH FROM '2030-01-05 11:00:00+00'::timestamptz), 5, 20, NULL, 60
        )::text, 'UTF8'
    )), 'a request without limits keeps its former digest'
);

-- Moves
CREATE FUNCTION pg_temp.at(p_ahead interval, p_title text DEFAULT 'M') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.put_class(%L, %L, %L, %L, 5, 20, NULL, 1440, %L, NULL)', 'm', p_title,
        '2030-01-01 12:00:00+00'::timestamptz + p_ahead, '2030-01-01 12:00:00+00'::timestamptz + p_ahead + '1 hour',
        'operator'
    ));
$$;
CREATE FUNCTION pg_temp.moves() RETURNS text LANGUAGE sql AS $$
    SELECT c.moves || CASE WHEN c.settled THEN '' ELSE ' unsettled' END FROM wallet.classes AS c WHERE c.class_id = 'm';
$$;
SELECT pg_temp.at('3 days'), pg_temp.at('4 days');
SELECT is(pg_temp.moves(), '0', 'a class without bookings does not count as moved');
SELECT pg_temp.book('ann', 'm1', 'm'), pg_temp.at('4 days', 'N');
SELECT is(pg_temp.moves(), '0', 'a class with an unchanged start does not count as moved');
SELECT pg_temp.at('4 days 0.9 seconds');
SELECT is(pg_temp.moves(), '0', 'within the second to which the interface rounds');
SELECT is(
    (SELECT c.starts_at FROM wallet.classes AS c WHERE c.class_id = 'm'), '2030-01-05 12:00:00+00'::timestamptz,
    'the start stays, so that several such differences do not add up'
);
SELECT pg_temp.at('5 days');
SELECT is(pg_temp.moves(), '1 unsettled', 'a changed start counts as a move');
SELECT pg_temp.at('4 days');
SELECT is(pg_temp.moves(), '2 unsettled', 'moving back counts as a move');
SELECT is(pg_temp.at('0'), 'WL422 class-in-the-past', 'a booked class cannot move into the past');
SELECT is(wallet.settle_classes(10), 1, 'two moves without a notification between them are one');
SELECT is(pg_temp.moves(), '2', 'the moved class is settled');
SELECT pg_temp.cancel('ann', 'm1');
SELECT is(pg_temp.at('-1 day'), 'WL422 class-in-the-past', 'a class without bookings cannot move into the past either');
SELECT is(pg_temp.at('0'), 'WL422 class-in-the-past', 'a start that is now is past');
SELECT is(pg_temp.moves(), '2', 'the refused change moves nothing');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.put_class(%L, %L, %L, %L, 5, 20, NULL, 1440, %L, NULL)', 'new', 'New', i.starts_at,
        wallet.now() + interval '1 hour', 'operator'
    )), 'WL422 class-in-the-past', 'no class is made that began at ' || i.starts_at
)
FROM unnest(ARRAY[wallet.now(), wallet.now() - interval '1 second', '1970-01-01 00:00:00+00']) AS i (starts_at);
SELECT is_empty($$ SELECT FROM wallet.class_seats AS s WHERE s.class_id = 'new' $$, 'the refused class is not stored');
SELECT set_config('t.now', '2030-01-05 12:30:00+00', TRUE);
SELECT is(pg_temp.at('4 days', 'P'), 'nothing', 'a class that has begun can get another title');
SELECT is(pg_temp.at('5 days'), 'WL409 class-closed', 'a class that has begun cannot move');
SELECT is(pg_temp.raised(format(
    'SELECT wallet.put_class(%L, %L, %L, %L, 5, 20, NULL, 1440, %L, NULL)', 'm', 'M',
    '2030-01-05 12:00:00+00'::timestamptz, '2030-01-09 12:00:00+00'::timestamptz, 'operator'
)), 'WL409 class-closed', 'a class that has begun cannot end at another time');

-- Seats that are reserved for the waitlist
CREATE FUNCTION pg_temp.seats(p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', s.environment, s.capacity, s.sold, s.reserved), ', ' ORDER BY s.environment)
    FROM wallet.class_seats AS s WHERE s.class_id = p_class_id;
$$;
SELECT pg_temp.lesson('w', 1, NULL, 1), pg_temp.book('ann', 'w', 'w');
INSERT INTO wallet.waitlist (class_id, environment, account_id, seats, joined_at)
VALUES ('w', 'production', wallet.account_for('bob'), 1, wallet.now());
SELECT pg_temp.lesson('w', 1, NULL, 4);
SELECT
    is(pg_temp.seats('w'), 'production 4 1 3, sandbox 4 0 0', 'added seats are reserved if users wait');
SELECT pg_temp.lesson('w', 1, NULL, 2);
SELECT is(pg_temp.seats('w'), 'production 2 1 1, sandbox 2 0 0', 'held seats are taken away first');
SELECT is(
    pg_temp.raised('SELECT pg_temp.lesson(''w'', 1, NULL, 0)'),
    'WL409 capacity-below-sold {"capacity": 0, "seats_sold": 1}', 'sold ones never'
);
SELECT pg_temp.lesson('w', 1, NULL, 1);
SELECT is(pg_temp.seats('w'), 'production 1 1 0, sandbox 1 0 0', 'the capacity can shrink to the sold seats');
UPDATE wallet.class_seats SET capacity = 3 WHERE class_id = 'w';
SELECT pg_temp.lesson('w', 1, NULL, 3, '5 days');
SELECT is(
    pg_temp.seats('w'), 'production 3 1 2, sandbox 3 0 0', 'free seats of a moved class are reserved for the waitlist'
);
SELECT wallet.settle_classes(10);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
