-- wallet.decide_batch: replays, different content under the same key, and the rows of one booking (rules 7, 18 to 21).
-- Guarantee: idempotent-for-ever
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 15, 1), pg_temp.lesson('v', NULL, 1);
SELECT pg_temp.gift('ann', 100);

SELECT is(pg_temp.answer(pg_temp.book('ann', 'k', 'a')), '201 booked 20 credit', 'a booking is debited');
SELECT is(pg_temp.funds('ann'), '80 0 0 0', 'the balance fell by the price');
SELECT is(pg_temp.seats_sold('a'), 1, 'a seat is sold');
SELECT is(pg_temp.seats_sold('a', 'sandbox'), 0, 'no seat of the sandbox is sold');
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox WHERE type = 'booking.created'), 1, 'one event reports it'
);

-- Idempotency (rule 20)
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'k', 'a')), '200 booked 20 credit replayed',
    'midaz #2485: a retried request answers the first booking'
);
SELECT results_eq(
    $$ SELECT o.booking_id, o.credits, o.version FROM pg_temp.book('ann', 'k', 'a') AS o $$,
    $$ SELECT pg_temp.id_of('k'), 80::bigint, 2::bigint $$, 'a replay shows the current balance'
);
SELECT is(
    (SELECT string_agg(pg_temp.answer(o), ', ' ORDER BY i.n) FROM (
        VALUES (1, 'b', 1, NULL, NULL), (2, 'a', 2, NULL, NULL), (3, 'a', 1, 'credits', NULL), (4, 'a', 1, NULL, 20)
    ) AS i (n, class_id, seats, pay_with, max_amount)
    CROSS JOIN LATERAL pg_temp.book('ann', 'k', i.class_id, i.seats, i.pay_with, i.max_amount) AS o),
    concat_ws(', ', '422 idempotency-key-reused', '422 idempotency-key-reused', '422 idempotency-key-reused',
        '422 idempotency-key-reused'),
    'another class, seats, payment or limit under the same key is refused'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'k', 'a', 1, NULL, NULL, 'sandbox')), '402 insufficient-credits',
    'a key belongs to its environment'
);
SELECT is(pg_temp.answer(pg_temp.book('bob', 'k', 'a')), '402 insufficient-credits', 'a key belongs to its account');
SELECT pg_temp.gift('bob', 20);
SELECT is(
    pg_temp.answer(pg_temp.book('bob', 'k', 'a')), '201 booked 20 credit',
    'a refusal is not pinned: after buying credits the same key succeeds'
);
SELECT is(
    pg_temp.answer(pg_temp.cancel('bob', 'k')), '200 cancelled 20 credit returned 20', 'a cancellation of the booking'
);
SELECT is(
    pg_temp.answer(pg_temp.book('bob', 'k', 'a')), '200 cancelled 20 credit returned 20 replayed',
    'a replay returns the current state of the booking'
);

-- Payment in slices, and the rows that are written
SELECT pg_temp.gift('cid', 7, 'credit', '10 days'), pg_temp.gift('cid', 8),
    pg_temp.gift('cid', 30, 'credit', '20 days');
SELECT is(pg_temp.answer(pg_temp.book('cid', 's', 'a', 2)), '201 booked 40 credit', 'a booking of two seats');
SELECT is(
    pg_temp.story('cid', 3), 'spend -7, spend -30, spend -3', 'burns the soonest expiry first, never-expiring last'
);
SELECT results_eq(
    $$ SELECT b.first_version, b.entry_count, b.seats::integer, b.amount FROM wallet.bookings AS b
       WHERE b.booking_id = pg_temp.id_of('s') $$,
    $$ VALUES (4::bigint, 3, 2, 40::bigint) $$, 'the booking refers to its entries'
);
SELECT results_eq(
    $$ SELECT s.amount::integer FROM wallet.booking_details AS d
       CROSS JOIN LATERAL unnest(d.slices) WITH ORDINALITY AS s (lot_id, amount, place)
       WHERE d.booking_id = pg_temp.id_of('s') ORDER BY s.place $$,
    $$ VALUES (7), (30), (3) $$, 'the booking shows its slices'
);

-- A booking keeps its cancellation policy (rule 21), and costs the price at the time of booking
SELECT pg_temp.lesson('a', 50, NULL, 10, '3 days', 60);
SELECT results_eq(
    $$ SELECT b.amount, b.free_minutes_before, b.free_until FROM wallet.bookings AS b
       WHERE b.booking_id = pg_temp.id_of('k') AND b.account_id = wallet.account_for('ann') $$,
    $$ VALUES (20::bigint, 1440, wallet.now() + interval '2 days') $$, 'a changed class leaves booked terms alone'
);
SELECT is(pg_temp.answer(pg_temp.book('ann', 'k', 'a')), '200 booked 20 credit replayed', 'a replay keeps the price');

-- A booking that is free of charge posts an entry of amount 0 (rule 7)
SELECT pg_temp.buy('uma', 'sub', 'plan.unlimited');
SELECT is(pg_temp.answer(pg_temp.book('uma', 'u', 'v')), '201 booked 0', 'an unlimited plan pays with nothing');
SELECT is(pg_temp.story('uma'), 'spend 0', 'one entry of amount 0 is posted');
SELECT is(pg_temp.answer(pg_temp.cancel('uma', 'u')), '200 cancelled 0 returned 0', 'cancelled, nothing returns');

-- Faults of HobbyApp
SELECT pg_temp.gift('dan', 30);
SELECT is(
    (SELECT string_agg(pg_temp.answer(o), ', ' ORDER BY i.n) FROM (VALUES (1, 'd1', 'a'), (2, 'd2', 'b')) AS i (n, key,
    class_id)
    CROSS JOIN LATERAL pg_temp.book('dan', i.key, i.class_id, 1, 'credits') AS o),
    '402 insufficient-credits, 201 booked 15 credit', 'HobbyApp 1: a booking never overspends'
);
SELECT throws_ok(
    $$ UPDATE wallet.wallets SET credits = -1 WHERE account_id = wallet.account_for('dan') $$, '23514', NULL,
    'HobbyApp 1, lago #4985: a CHECK also prevents negative balances'
);
SELECT results_eq(
    $$ SELECT pg_temp.seats_sold('b'), (SELECT count(*)::integer FROM wallet.bookings
       WHERE class_id = 'b' AND cancelled_at IS NULL), pg_temp.funds('dan') $$,
    $$ VALUES (1, 1, '15 0 0 0') $$, 'HobbyApp 2: seat, booking and debit are one'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
