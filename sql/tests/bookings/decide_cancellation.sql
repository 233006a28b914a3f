-- wallet.decide_cancellation, wallet.booking_slices, wallet.return_slices: which amount returns, to which lots, until
-- when (rule 21).
-- Guarantee: cancellations-exact
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20), pg_temp.lesson('v', NULL, 1, 10, '10 days');
SELECT pg_temp.gift('ann', 5, 'credit', '60 days'), pg_temp.gift('ann', 100);
SELECT pg_temp.book('ann', 'k', 'a');

SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'k')), '200 cancelled 20 credit returned 20',
    'HobbyApp 6 and 7: a cancellation gives the credits back'
);
SELECT is(pg_temp.funds('ann'), '105 0 0 0', 'the price returns to the balance');
SELECT is(
    pg_temp.story('ann', 2), 'spend -5, spend -15, return 5, return 15', 'the price returns to the lots that paid'
);
SELECT is(
    (SELECT array_agg(l.spent) FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('ann')),
    ARRAY[0, 0]::bigint[],
    'RevenueCat 7640: what expires stays in the lot that expires'
);
SELECT is(pg_temp.seats_sold('a'), 0, 'the seat is free');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'k')), '200 cancelled 20 credit returned 20 replayed',
    'booking #43: cancelled again it answers the same'
);
SELECT is(pg_temp.funds('ann'), '105 0 0 0', 'the price does not return twice');
SELECT is(pg_temp.seats_sold('a'), 0, 'the seat is not freed twice');
SELECT is((SELECT count(*)::integer FROM wallet.outbox WHERE type = 'booking.cancelled'), 1, 'one event reports it');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'k2', 'a')), '201 booked 20 credit', 'the class can be booked again');

-- Refusals
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'nothing')), '404 booking-not-found', 'an unknown booking');
SELECT is(pg_temp.answer(pg_temp.cancel('bob', 'k2')), '404 booking-not-found', 'another user''s booking');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'k2', 'sandbox')), '404 booking-not-found',
    'a booking of the other environment'
);

-- Boundary instants: free of charge until 24 hours before the start, possible until the start
SELECT pg_temp.book('ann', 'edge', 'b');
SELECT pg_temp.wait('2 days');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'k2')), '200 cancelled 20 credit returned 20',
    'cancellation is free exactly at the deadline'
);
SELECT pg_temp.wait('1 microsecond');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'edge')), '200 cancelled 20 credit returned 0 late',
    'a microsecond later the seat is freed and nothing returns'
);
SELECT is(pg_temp.seats_sold('b'), 0, 'the seat is freed');
SELECT is(pg_temp.funds('ann'), '85 0 0 0', 'the credits are spent');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'edge')), '200 cancelled 20 credit returned 0 late replayed',
    'a replay has the same answer'
);
SELECT pg_temp.book('ann', 'begun', 'b');
SELECT pg_temp.wait('1 day - 2 microseconds');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'begun')), '200 cancelled 20 credit returned 0 late',
    'a late cancellation is possible until the start'
);
SELECT pg_temp.lesson('c', 20, NULL, 10, '1 hour', 0), pg_temp.book('ann', 'c', 'c');
SELECT pg_temp.wait('1 hour');
SELECT is(pg_temp.answer(pg_temp.cancel('ann', 'c')), '409 not-cancellable', 'a class that begins cannot be cancelled');
SELECT is(
    pg_temp.answer(pg_temp.cancel_by(wallet.account_for('ann'), 'production', pg_temp.id_of('c'), 'studio')),
    '200 cancelled 20 credit returned 20', 'the studio''s cancellation always returns the price'
);

-- An amount that returns to an expired lot lapses at once
SELECT pg_temp.gift('cid', 2, 'visit', '11 days'), pg_temp.lesson('w', NULL, 1, 10, '10 days', 0);
SELECT pg_temp.book('cid', 'v', 'w');
UPDATE wallet.classes SET starts_at = starts_at + interval '9 days', ends_at = ends_at + interval '9 days'
WHERE class_id = 'w';
UPDATE wallet.bookings SET free_until = free_until + interval '9 days' WHERE booking_id = pg_temp.id_of('v');
SELECT pg_temp.wait('11 days');
SELECT is(pg_temp.answer(pg_temp.cancel('cid', 'v')), '200 cancelled 1 visit returned 1', 'a visit of an expired pass');
SELECT is(pg_temp.funds('cid'), '0 0 0 0', 'the returned visit is not spendable');
SELECT is(pg_temp.story('cid'), 'adjust 2, spend -1, lapse -1, return 1, lapse -1', 'the visit lapses when it returns');

-- A reopened lot still expires
SELECT wallet.sweep(100);
SELECT pg_temp.lesson('z', NULL, 1, 10, '3 days', 0);
SELECT pg_temp.gift('dan', 1, 'visit', '5 days');
SELECT pg_temp.book('dan', 'z', 'z');
SELECT pg_temp.gift('dan', 1, 'visit', '1 day');
SELECT pg_temp.wait('1 day');
SELECT is(wallet.sweep(10), 1, 'the pass that expires first is swept');
SELECT pg_temp.cancel('dan', 'z');
SELECT pg_temp.sound();
SELECT pg_temp.wait('4 days');
SELECT is(wallet.sweep(10), 1, 'the sweep includes the reopened pass');
SELECT is(pg_temp.story('dan'), 'adjust 1, spend -1, adjust 1, lapse -1, return 1, lapse -1', 'each visit lapses once');

-- An amount that returns to a refunded purchase pays its debt first (rule 24)
SELECT pg_temp.lesson('r', 20);
SELECT pg_temp.buy('eve', 'e1', 'starter'), pg_temp.book('eve', 'r', 'r');
SELECT pg_temp.buy('eve', 'e1', 'starter', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('eve'), '0 0 20 0', 'refunded credits that were spent are owed');
SELECT is(pg_temp.answer(pg_temp.cancel('eve', 'r')), '200 cancelled 20 credit returned 20', 'the cancellation');
SELECT is(pg_temp.funds('eve'), '0 0 0 0', 'the amount pays the debt, and nothing is spendable');
SELECT pg_temp.sound();

-- If a class was moved, users who had booked it before may cancel free of charge until its new start
CREATE FUNCTION pg_temp.cancels(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', pg_temp.answer(o), CASE WHEN o.moved THEN 'moved' END, o.cancelled_by, to_char(o.free_until, 'MM-DD')
    ) FROM pg_temp.cancel('fay', p_key) AS o;
$$;
CREATE FUNCTION pg_temp.to_day(p_class_id text, p_day integer) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class', d.day, d.day + interval '1 hour', 10, 20, NULL, 1440, 'operator', NULL
    ) FROM (SELECT timestamptz '2031-01-01 12:00:00+00' + make_interval(days => p_day)) AS d (day);
$$;
SELECT set_config('t.now', '2031-01-01 12:00:00+00', TRUE);
SELECT pg_temp.to_day('m', 3), pg_temp.gift('fay', 200), pg_temp.book('fay', 'm', 'm');
SELECT is(
    (SELECT concat_ws(' ', b.moved, b.free_until) FROM wallet.booking_details AS b
     WHERE b.booking_id = pg_temp.id_of('m')), 'f 2031-01-03 12:00:00+00', 'a booking goes by its policy'
);
SELECT pg_temp.to_day('m', 1);
SELECT is(
    (SELECT concat_ws(' ', b.moved, b.free_until) FROM wallet.booking_details AS b
     WHERE b.booking_id = pg_temp.id_of('m')), 't 2031-01-02 12:00:00+00',
     'the free-cancellation deadline is that of the booking until the class moves'
);
SELECT pg_temp.book('gil', 'none', 'm'), pg_temp.gift('gil', 50), pg_temp.book('gil', 'late', 'm');
SELECT pg_temp.wait('1 day - 1 microsecond');
SELECT is(
    pg_temp.cancels('m'), '200 cancelled 20 credit returned 20 moved user 01-02', 'a moment before the new start'
);
SELECT is(
    pg_temp.answer(pg_temp.cancel('gil', 'late')), '200 cancelled 20 credit returned 0 late',
    'a user who booked after the move follows the new start''s policy'
);
SELECT pg_temp.to_day('n', 3), pg_temp.book('fay', 'n', 'n'), pg_temp.to_day('n', 2);
SELECT pg_temp.wait('1 day 1 microsecond');
SELECT is(pg_temp.cancels('n'), '409 not-cancellable', 'the new start, not the old, is where it ends');
SELECT pg_temp.to_day('o', 4), pg_temp.book('fay', 'o', 'o'), pg_temp.to_day('o', 20), pg_temp.wait('10 days');
SELECT is(
    pg_temp.cancels('o'), '200 cancelled 20 credit returned 20 moved user 01-21',
    'a moved class is free to cancel even after its old start'
);

-- A cancelled booking keeps its outcome, even if its class changes later
SELECT pg_temp.to_day('p', 13), pg_temp.book('fay', 'p', 'p'), pg_temp.wait('12 hours');
SELECT is(pg_temp.cancels('p'), '200 cancelled 20 credit returned 0 late user 01-13', 'a late cancellation');
SELECT pg_temp.book('gil', 'p2', 'p'), pg_temp.to_day('p', 15);
SELECT is(
    pg_temp.cancels('p'), '200 cancelled 20 credit returned 0 late replayed user 01-13', 'before a move stays late'
);
SELECT pg_temp.to_day('o', 30), pg_temp.to_day('o', 31);
SELECT is(
    pg_temp.cancels('o'), '200 cancelled 20 credit returned 20 replayed moved user 01-21',
    'a cancellation after a move stays free'
);
SELECT wallet.settle_classes(10);

-- Slices return in the order of payment, regardless of the entries' storage
SELECT pg_temp.gift('hal', 7, 'credit', '90 days'), pg_temp.gift('hal', 13), pg_temp.to_day('q', 40);
SELECT pg_temp.book('hal', 'q', 'q');
SET LOCAL session_replication_role = replica;
UPDATE wallet.entries AS e SET at = e.at WHERE e.account_id = wallet.account_for('hal') AND e.version = 3;
RESET session_replication_role;
SELECT pg_temp.cancel('hal', 'q');
SELECT is(
    pg_temp.story('hal', 2), 'spend -7, spend -13, return 7, return 13',
    'the first lot that paid gets its amount back first'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
