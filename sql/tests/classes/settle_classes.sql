-- wallet.settle_classes: each booking of a cancelled or moved class is settled once, in batches (rule 21).
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.move(p_class_id text, p_ahead interval) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.lesson(p_class_id, 20, NULL, 100, p_ahead);
$$;
CREATE FUNCTION pg_temp.notified() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', e.body #>> '{data,user_id}', e.body #>> '{data,starts_at}'), ', ' ORDER BY e.id)
    FROM (
        SELECT o.event_id AS id, wallet.event_body(o) AS body FROM wallet.outbox AS o WHERE o.type = 'booking.moved'
    ) AS e;
$$;
SELECT is(wallet.settle_classes(10), 0, 'nothing to do');
SELECT pg_temp.lesson('a', 20, NULL, 100), pg_temp.lesson('b', 20, NULL, 100);
SELECT pg_temp.gift('u' || i, 100), pg_temp.book('u' || i, 'a' || i, 'a') FROM generate_series(1, 5) AS i;
SELECT pg_temp.gift('u1', 100, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('u1', 'sandbox', 'a', 1, NULL, NULL, 'sandbox'), pg_temp.book('u1', 'b1', 'b', 2);
SELECT is(wallet.settle_classes(10), 0, 'still nothing');

-- Cancelled, in batches
SELECT wallet.cancel_class('a', NULL, 'operator', NULL), wallet.cancel_class('b', NULL, 'operator', NULL);
SELECT is(wallet.settle_classes(4), 4, 'the limit of one call holds');
SELECT is((SELECT c.settled FROM wallet.classes AS c WHERE c.class_id = 'a'), FALSE, 'a class with more to do');
SELECT is(wallet.settle_classes(4), 2, 'the next call continues in both environments and finishes the class');
SELECT is(wallet.settle_classes(4), 1, 'the next class has its turn');
SELECT is(wallet.settle_classes(4), 0, 'no work is left');
SELECT is((SELECT bool_and(c.settled) FROM wallet.classes AS c), TRUE, 'every class is settled');
SELECT is(
    (SELECT string_agg(DISTINCT b.cancelled_by || ' ' || b.returned, ', ') FROM wallet.bookings AS b),
    'studio 20, studio 40', 'the studio returned everything'
);
SELECT is((SELECT sum(w.credits)::integer FROM wallet.wallets AS w), 600, 'once');
SELECT is(
    (SELECT sum(s.sold)::integer FROM wallet.class_seats AS s WHERE s.class_id IN ('a', 'b')), 0, 'no seat is sold'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox AS o WHERE o.type = 'booking.cancelled'), 7, 'one event a booking'
);
SELECT pg_temp.sound();

-- Moved: one event for each move
SELECT pg_temp.move('c', '5 days'), pg_temp.book('u1', 'c1', 'c'), pg_temp.book('u2', 'c2', 'c');
SELECT pg_temp.move('c', '10 days');
SELECT is(wallet.settle_classes(1), 1, 'a move reaches');
SELECT is(wallet.settle_classes(10), 1, 'each booking gets the move');
SELECT is(wallet.settle_classes(10), 0, 'once');
SELECT is(pg_temp.notified(), 'u1 2030-01-11T12:00:00Z, u2 2030-01-11T12:00:00Z', 'each event has the new start');
SELECT is(
    pg_temp.newest() -> 'data', jsonb_build_object(
        'user_id', 'u2', 'environment', 'production', 'version', 4, 'booking_id', pg_temp.id_of('c2'), 'class_id', 'c',
        'class_title', 'Class c', 'starts_at', '2030-01-11T12:00:00Z', 'ends_at', '2030-01-11T13:00:00Z', 'seats', 1,
        'unit', 'credit', 'amount', 20, 'free_until', '2030-01-11T12:00:00Z'
    ), 'the event contains all data that an app shows'
);
SELECT pg_temp.book('u3', 'c3', 'c'), pg_temp.move('c', '12 days'), pg_temp.cancel('u2', 'c2');
SELECT is(wallet.settle_classes(10), 2, 'a second move reaches later bookings, and no cancelled ones');
SELECT is(
    pg_temp.notified(), 'u1 2030-01-11T12:00:00Z, u2 2030-01-11T12:00:00Z, u1 2030-01-13T12:00:00Z, '
    'u3 2030-01-13T12:00:00Z',
    'each move has an event with the new start'
);
SELECT pg_temp.book('u4', 'c4', 'c');
SELECT is(wallet.settle_classes(10), 0, 'a booking made after a move gets no event about it');

-- Moved, then cancelled before any user was notified
SELECT pg_temp.move('c', '14 days'), wallet.cancel_class('c', 'ill', 'operator', NULL);
SELECT is(wallet.settle_classes(10), 3, 'a class that was moved and cancelled');
SELECT is(
    (SELECT count(*)::integer FROM wallet.bookings AS b WHERE b.cancelled_at IS NULL), 0, 'all bookings are cancelled'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox AS o WHERE o.type = 'booking.moved'), 4, 'no move is notified'
);
SELECT is((SELECT bool_and(c.settled) FROM wallet.classes AS c), TRUE, 'settled');
SELECT is(wallet.settle_classes(0), 0, 'a limit of none');

-- A move whose bookings have all been cancelled
SELECT pg_temp.move('e', '5 days'), pg_temp.book('u1', 'e1', 'e'), pg_temp.move('e', '6 days');
SELECT pg_temp.cancel('u1', 'e1');
SELECT is((SELECT c.settled FROM wallet.classes AS c WHERE c.class_id = 'e'), FALSE, 'a move without bookings left');
SELECT is(wallet.settle_classes(10), 0, 'there is nothing to settle');
SELECT is((SELECT c.settled FROM wallet.classes AS c WHERE c.class_id = 'e'), TRUE, 'the class is settled');

-- A lot that now belongs to another account: the amount returns to the user who restored the purchase
SELECT pg_temp.lesson('f', NULL, 1, 10, '1 day', 1440), pg_temp.buy('old', 't1', 'singleVisit');
SELECT pg_temp.book('old', 'f1', 'f'), wallet.cancel_class('f', 'ill', 'operator', NULL);
UPDATE wallet.claims SET released_at = wallet.now() WHERE transaction_id = 't1';
UPDATE wallet.lots SET released_at = wallet.now() WHERE account_id = wallet.account_for('old');
SELECT is(
    (SELECT r.result FROM wallet.claims AS c
     CROSS JOIN LATERAL wallet.restore_claims(wallet.account_for('new'), ARRAY[c.claim_id], NULL) AS r
     WHERE c.transaction_id = 't1'), 'restored', 'a pass moves'
);
SELECT is(wallet.settle_classes(10), 1, 'the booking of the former owner is settled');
SELECT is(pg_temp.funds('new'), '0 1 0 0', 'the visit returns to the pass''s new wallet');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
