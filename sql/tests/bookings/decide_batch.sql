-- wallet.decide_batch: missing accounts, classes and bookings, reserved seats, and the first use of a lot
-- (sql/tests/bookings/book_batch.sql has the rest; isolation/bookings/group_passes_over.spec and
-- lots_held_elsewhere.spec test rows that another session has locked).
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 100), pg_temp.lesson('a', 20), pg_temp.lesson('b', 20);
CREATE FUNCTION pg_temp.without_waiting(p_operations text[], p_class_ids text[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(o.item || ' ' || pg_temp.answer(o), ', ' ORDER BY o.item)
    FROM pg_temp.batch(
        ARRAY[wallet.account_for('ann'), NULL, wallet.account_for('ann')],
        '{production,production,production}', p_operations,
        ARRAY[pg_temp.id_of('k1'), pg_temp.id_of('k2'), pg_temp.id_of('k3')], '{k1,k2,k3}', p_class_ids, '{1,1,1}',
        '{NULL,NULL,NULL}', '{NULL,NULL,NULL}', FALSE
    ) AS o;
$$;
SELECT is(
    pg_temp.without_waiting('{book,book,book}', '{nowhere,nowhere,nowhere}'),
    '1 404 class-not-found, 2 401 unauthenticated, 3 404 class-not-found',
    'a class that does not exist has no seats to hold, and is not busy'
);
SELECT is(
    pg_temp.without_waiting('{cancel,cancel,cancel}', '{a,a,a}'),
    '1 404 booking-not-found, 2 401 unauthenticated, 3 404 booking-not-found', 'a booking that never existed is unknown'
);
SELECT is(
    pg_temp.without_waiting('{book,book,book}', '{a,a,b}'),
    '1 201 booked 20 credit, 2 401 unauthenticated, 3 201 booked 20 credit', 'the others are decided in order'
);
SELECT is(
    pg_temp.without_waiting('{cancel,book,cancel}', '{b,a,a}'),
    '1 200 cancelled 20 credit returned 20, 2 401 unauthenticated, 3 200 cancelled 20 credit returned 20',
    'a cancellation uses its booking''s class, not the class in the request'
);
SELECT is(pg_temp.seats_sold('a') || ' ' || pg_temp.seats_sold('b'), '0 0', 'the seats of both classes are free again');
SELECT is(
    (
        SELECT concat_ws(' ', o.booking_status, o.replayed, o.late_cancel, o.moved, o.promoted)
        FROM pg_temp.batch(
            ARRAY[wallet.account_for('ann')], '{production}', '{book}', ARRAY[pg_temp.id_of('k9')], '{k9}', '{a}',
            '{1}', '{NULL}', '{NULL}', FALSE
        ) AS o
    ), 'booked f f f f', 'a new booking is of a class that has not been moved since'
);
-- A seat that is freed in a batch is reserved for the waitlist, so later items of the batch cannot book it.
\o /dev/null
SELECT pg_temp.gift('bob', 100), pg_temp.gift('cyd', 100), pg_temp.lesson('full', 20, NULL, 1);
SELECT pg_temp.book('ann', 'seat', 'full');
SELECT wallet.join_waitlist(wallet.account_for('bob'), 'production', 'full', 1, NULL, NULL);
\o
SELECT is(
    (
        SELECT string_agg(o.item || ' ' || pg_temp.answer(o), ', ' ORDER BY o.item)
        FROM pg_temp.batch(
            ARRAY[wallet.account_for('ann'), wallet.account_for('cyd')], '{production,production}', '{cancel,book}',
            ARRAY[pg_temp.id_of('seat'), pg_temp.id_of('cyd')], '{NULL,cyd}', '{NULL,full}', '{NULL,1}', '{NULL,NULL}',
            '{NULL,NULL}'
        ) AS o
    ), '1 200 cancelled 20 credit returned 20, 2 409 class-full', 'a freed seat is not booked ahead of the waitlist'
);
-- Only a promotion uses reserved seats, and it ends the wait
SELECT pg_temp.lesson('pair', 1, NULL, 2), pg_temp.book('ann', 'two', 'pair', 2), pg_temp.join('bob', 'pair');
SELECT pg_temp.cancel('ann', 'two');
UPDATE wallet.class_seats SET capacity = 3 WHERE class_id = 'pair';
SELECT pg_temp.book('cyd', 'one', 'pair');
SELECT is(pg_temp.seats('pair'), 'sold 1, reserved 2, left 0', 'a user books the seat that is not reserved');
SELECT is(wallet.promote_next('pair', 'production'), 'booked', 'the waiting user is promoted');
SELECT is(
    concat_ws(', ', pg_temp.seats('pair'), pg_temp.line('pair')), 'sold 2, reserved 0, left 1',
    'after the promotion of the only waiting user, the waitlist is empty and no seat is reserved'
);
-- The first use of a lot starts its validity (ledger/lots/start_lots.sql has the rest)
UPDATE wallet.products SET valid_days = 10, starts_within_days = 100 WHERE product_id = 'threeVisit';
SELECT pg_temp.buy('eva', 'pass', 'threeVisit'), pg_temp.lesson('first', NULL, 1);
SELECT pg_temp.wait('1 hour'), pg_temp.book('eva', 'first', 'first');
SELECT results_eq(
    $$ SELECT l.starts_at - wallet.now(), l.expires_at - wallet.now() FROM wallet.lots AS l
       WHERE l.account_id = wallet.account_for('eva') $$,
    $$ VALUES (interval '0', interval '10 days') $$, 'a booking starts the validity of the lot that pays'
);
SELECT pg_temp.gift('vic', 5), pg_temp.gift('vic', 3, 'visit'), pg_temp.lesson('either', 2, 1);
SELECT is(
    (SELECT concat_ws(' ', o.unit, o.credits, o.visits, o.version) FROM pg_temp.book('vic', 'either', 'either') AS o),
    'visit 5 2 3', 'the answer has the balance of both units after the booking'
);
SELECT is(
    (SELECT concat_ws(' ', o.unit, o.credits, o.visits, o.version) FROM pg_temp.cancel('vic', 'either') AS o),
    'visit 5 3 4', 'and after its cancellation'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
