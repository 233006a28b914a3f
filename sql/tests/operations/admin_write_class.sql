-- wallet.admin_write_class: changes of classes through admin.classes, under the operators' rules.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.as_admin(p_statement text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(p_statement, 'wallet_admin');
$$;
SELECT is(pg_temp.as_admin($$ INSERT INTO admin.classes (class_id, title, starts_at, ends_at, capacity, price_credits)
    VALUES ('a', 'A', '2030-01-05 10:00', '2030-01-05 11:00', 2, 20) $$), 'nothing', 'a class is made');
SELECT is(pg_temp.as_admin(format(
    'INSERT INTO admin.classes (class_id, title, starts_at, ends_at, capacity, price_credits)
    VALUES (''past'', ''Past'', %1$L::timestamptz + interval %2$L, %1$L::timestamptz + interval ''9 hours'', 2, 20)',
    wallet.now(), p.ahead
)), p.answer, 'a class that begins ' || p.ahead || ' from now') FROM (VALUES
    ('-1 year', 'WL422 class-in-the-past'), ('0 seconds', 'WL422 class-in-the-past'), ('1 second', 'nothing')
) AS p (ahead, answer);
SELECT results_eq(
    $$ SELECT c.capacity::integer, c.seats_sold, c.seats_left,
       c.free_minutes_before FROM admin.classes AS c WHERE c.class_id = 'a' $$,
    $$ VALUES (2, 0, 2, 1440) $$, 'the default cancellation policy applies'
);
SELECT pg_temp.gift('ann', 100), pg_temp.book('ann', 'k', 'a', 2);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET capacity = 1 WHERE class_id = 'a' $$),
    'WL409 capacity-below-sold {"capacity": 1, "seats_sold": 2}', 'sold seats cannot be taken away'
);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET capacity = 5, title = 'B' WHERE class_id = 'a' $$), 'nothing', 'more'
);
SELECT is((SELECT c.seats_left FROM admin.classes AS c WHERE c.class_id = 'a'), 3, 'three seats are free');
SELECT is(
    pg_temp.as_admin(format('UPDATE admin.classes SET %s WHERE class_id = ''a''', i.change)),
    'WL422 column-not-editable',
    i.change
) FROM unnest(ARRAY[
    'class_id = ''b''', 'seats_sold = 0', 'seats_held = 0 - 1', 'seats_left = 100', 'waiting = 1',
    'cancel_reason = ''none''', 'status = ''cancelled'', title = ''C''', 'status = ''full'''
]) AS i (change);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET price_credits = -1 WHERE class_id = 'a' $$), '23514',
    'a negative price is refused'
);

-- Limits
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET max_seats = 2, days_ahead = 7, opens_minutes_before = 600,
        closes_minutes_before = 30, max_overlaps = 0, waitlist_cutoff_minutes = 90 WHERE class_id = 'a' $$),
    'nothing', 'every limit can be set'
);
SELECT results_eq(
    $$ SELECT c.max_seats, c.days_ahead, c.opens_minutes_before, c.closes_minutes_before, c.max_overlaps,
       c.waitlist_cutoff_minutes, c.title FROM admin.classes AS c WHERE c.class_id = 'a' $$,
    $$ VALUES (2, 7, 600, 30, 0, 90, 'B') $$, 'limits stay when other columns change'
);
SELECT pg_temp.as_admin($$ UPDATE admin.classes SET title = 'D', max_seats = NULL WHERE class_id = 'a' $$);
SELECT results_eq(
    $$ SELECT c.max_seats, c.days_ahead, c.waitlist_cutoff_minutes, c.title FROM admin.classes AS c
       WHERE c.class_id = 'a' $$,
    $$ VALUES (NULL::integer, 7, 90, 'D') $$, 'changes'
);

SELECT is(
    pg_temp.as_admin(format('UPDATE admin.classes SET %s WHERE class_id = ''a''', i.change)), '23514',
    i.change || ' is not rounded'
) FROM unnest(ARRAY['price_credits = 12.6', 'price_visits = 0.5', 'capacity = 9.9']) AS i (change);

-- Moving and cancelling
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET starts_at = starts_at + interval '1 day', ends_at = ends_at
       + interval '1 day' WHERE class_id = 'a' $$), 'nothing', 'a class is moved'
);
SELECT is((SELECT b.moved FROM wallet.booking_details AS b), TRUE, 'bookings of the moved class are marked');
SELECT is(
    pg_temp.as_admin(
        $$ UPDATE admin.classes SET status = 'cancelled', cancel_reason = 'no kiln' WHERE class_id = 'a' $$
    ), 'nothing', 'the class is cancelled'
);
SELECT results_eq(
    $$ SELECT c.status, c.cancel_reason FROM admin.classes AS c WHERE c.class_id = 'a' $$,
    $$ VALUES ('cancelled', 'no kiln') $$, 'the reason is stored'
);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET status = 'cancelled' WHERE class_id = 'a' $$), 'nothing',
    'a repeated cancellation does nothing'
);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET status = 'scheduled' WHERE class_id = 'a' $$),
    'WL422 column-not-editable', 'a cancelled class cannot be scheduled again'
);
SELECT is(
    pg_temp.as_admin($$ UPDATE admin.classes SET title = 'E' WHERE class_id = 'a' $$), 'WL409 class-closed',
    'a started class cannot be edited'
);
SELECT is(
    pg_temp.as_admin($$ INSERT INTO admin.classes (class_id, title, starts_at, ends_at, capacity, price_credits, status)
    VALUES ('n', 'N', '2030-01-05 10:00', '2030-01-05 11:00', 2, 20, 'cancelled') $$),
    'WL422 column-not-editable', 'a new class cannot be cancelled from the start'
);
SELECT is(wallet.settle_classes(10), 1, 'the existing booking is settled');
SELECT is(pg_temp.funds('ann'), '100 0 0 0', 'the user has everything back');
SELECT is(pg_temp.as_admin($$ DELETE FROM admin.classes WHERE class_id = 'a' $$), '55000', 'a class is not removed');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
