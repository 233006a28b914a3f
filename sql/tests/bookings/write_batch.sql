-- wallet.write_batch: writes only if the rows are still where they were read; its events; and the reserved seats.
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 10), pg_temp.lesson('a', 2);
CREATE FUNCTION pg_temp.write(p_lot tid, p_seats tid) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.write_batch(
            NULL, NULL, ARRAY[%L::tid], ARRAY[0::bigint], ARRAY[%L::tid], ARRAY[0], FALSE, wallet.now()
        )', p_lot, p_seats
    ));
$$;
CREATE FUNCTION pg_temp.lot() RETURNS tid LANGUAGE sql AS $$
    SELECT l.ctid FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('ann');
$$;
CREATE FUNCTION pg_temp.seats() RETURNS tid LANGUAGE sql AS $$
    SELECT s.ctid FROM wallet.class_seats AS s WHERE s.class_id = 'a' AND s.environment = 'production';
$$;
SELECT is(
    pg_temp.write(pg_temp.lot(), pg_temp.seats()), 'nothing', 'rows that are where they were read are written'
);
SELECT is(pg_temp.write('(4000000,1)', pg_temp.seats()), 'P0001', 'one moved lot fails the whole batch');
SELECT is(pg_temp.write(pg_temp.lot(), '(4000000,1)'), 'P0001', 'one moved seat count fails it, too');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.write_batch(
            NULL, ARRAY[jsonb_populate_record(NULL::wallet.batch_item, %L)], NULL, NULL, ARRAY[%L::tid], ARRAY[0],
            FALSE, wallet.now()
        )', jsonb_build_object('account_id', 1, 'booking_id', pg_temp.id_of('none')), pg_temp.seats()
    )), 'P0001', 'a missing booking fails it as well'
);

-- Each booking and each cancellation has one event
SELECT pg_temp.gift('ann', 10, 'credit', '5 days'), pg_temp.gift('bob', 4, 'credit', '5 days'), pg_temp.gift('bob', 4);
SELECT pg_temp.lesson('b', 12), pg_temp.lesson('c', 4), pg_temp.lesson('d', 4);
SELECT pg_temp.book('ann', 'k', 'b'), pg_temp.book('bob', 'k', 'c'), pg_temp.book('bob', 'd', 'd');
SELECT pg_temp.cancel('ann', 'k'), pg_temp.cancel('bob', 'k'), pg_temp.cancel('bob', 'd');
SELECT is(
    (
        SELECT string_agg(concat_ws(' ', b.class_id, o.type, o.version), ', ' ORDER BY o.event_id)
        FROM wallet.outbox AS o
        INNER JOIN wallet.bookings AS b ON o.account_id = b.account_id AND o.booking_id = b.booking_id
    ),
    'b booking.created 4, c booking.created 3, d booking.created 4, '
        'b booking.cancelled 6, c booking.cancelled 5, d booking.cancelled 6',
    'an event has the version of the last entry'
);

-- The reserved seats
SELECT pg_temp.gift(u, 20) FROM unnest('{eve,fay,gus,hal}'::text[]) AS u;
SELECT pg_temp.lesson('full', 1, NULL, 4), pg_temp.book('eve', 'e', 'full', 3), pg_temp.book('fay', 'f', 'full');
SELECT pg_temp.join('gus', 'full'), pg_temp.join('hal', 'full'), pg_temp.cancel('eve', 'e');
UPDATE wallet.class_seats SET capacity = 5 WHERE class_id = 'full';
SELECT is(pg_temp.seats('full'), 'sold 1, reserved 3, left 1', 'three seats are reserved, one is free');
SELECT wallet.promote_next('full', 'production');
SELECT is(pg_temp.seats('full'), 'sold 2, reserved 2, left 1', 'a promotion uses a reserved seat');
SELECT pg_temp.cancel_by(wallet.account_for('fay'), 'production', pg_temp.id_of('f'), 'wallet');
SELECT is(
    pg_temp.seats('full'), 'sold 1, reserved 3, left 1', 'a seat that the wallet''s cancellation frees is reserved, too'
);
UPDATE wallet.classes SET waitlist_cutoff_minutes = 3 * 1440 WHERE class_id = 'full';
SELECT pg_temp.book('eve', 'e2', 'full', 3);
SELECT is(pg_temp.seats('full'), 'sold 4, reserved 1, left 1', 'after the cutoff, all users may book reserved seats');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
