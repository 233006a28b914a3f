-- wallet.write_batch, wallet.reserve_waitlist_seats, wallet.release_reserved_seats: who may book a freed seat (rule
-- 22).
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20, NULL, 4), pg_temp.gift(u, 200) FROM unnest(ARRAY['ann', 'bob', 'cid']) AS u;
SELECT pg_temp.book('ann', 'k1', 'a', 2), pg_temp.book('bob', 'k2', 'a');
CREATE FUNCTION pg_temp.round_of(p_class_id text) RETURNS bigint LANGUAGE sql AS $$
    SELECT s.reservation_round FROM wallet.class_seats AS s WHERE s.class_id = p_class_id AND s.environment = 'production';
$$;

SELECT pg_temp.cancel('bob', 'k2');
SELECT is(pg_temp.seats('a'), 'sold 2, reserved 0, left 2', 'without a waitlist, a freed seat is free for all');
SELECT pg_temp.book('bob', 'k3', 'a', 2), pg_temp.join('dan', 'a'), pg_temp.cancel('bob', 'k3');
SELECT is(pg_temp.seats('a'), 'sold 2, reserved 2, left 0', 'with a waitlist, a freed seat is reserved');
SELECT is(pg_temp.round_of('a'), 1::bigint, 'a new promotion round begins');
SELECT is(
    pg_temp.answer(pg_temp.book('cid', 'k', 'a')), '409 class-full', 'other users cannot book a reserved seat'
);
SELECT is(
    (pg_temp.book('cid', 'k', 'a')).detail, '{"seats_left": 0, "seats_requested": 1}'::jsonb,
    'other users do not see a reserved seat'
);
SELECT is(pg_temp.answer(pg_temp.ask('quote', 'cid', 'k', 'a')), '409 class-full', 'a quote is refused, too');
SELECT is(
    pg_temp.answer(pg_temp.book('dan', 'k', 'a')), '409 class-full', 'a waiting user cannot book ahead of the others'
);
SELECT pg_temp.cancel('ann', 'k1');
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 4, left 0', 'more come to the same');
SELECT is(pg_temp.round_of('a'), 2::bigint, 'another promotion round begins');
SELECT is(pg_temp.seats('a', 'sandbox'), 'sold 0, reserved 0, left 4', 'the other environment has its own');
SELECT pg_temp.sound();
SELECT is(
    (SELECT c.seats_sold || ' ' || c.seats_left FROM admin.classes AS c WHERE c.class_id = 'a'), '0 0',
    'administrators see a reserved seat as neither sold nor left'
);

-- Never more seats than are free
SELECT wallet.reserve_waitlist_seats('a', 'production', 3);
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 4, left 0', 'reserved seats do not exceed the free seats');
SELECT is(pg_temp.round_of('a'), 2::bigint, 'no round begins without seats to give');
UPDATE wallet.class_seats SET capacity = 6 WHERE class_id = 'a';
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 4, left 2', 'added seats are free for all');
SELECT wallet.reserve_waitlist_seats('a', 'production', 0);
SELECT
    is(pg_temp.seats('a') || pg_temp.round_of('a'), 'sold 0, reserved 4, left 22', 'reserving 0 seats changes nothing');
SELECT wallet.reserve_waitlist_seats('a', 'production', 1);
SELECT is(pg_temp.seats('a') || pg_temp.round_of('a'), 'sold 0, reserved 5, left 13', 'one more seat is reserved');
SELECT wallet.reserve_waitlist_seats('a', 'production', 5);
SELECT is(
    pg_temp.seats('a') || pg_temp.round_of('a'), 'sold 0, reserved 6, left 04',
    'no more seats are reserved than are free'
);
SELECT wallet.release_reserved_seats('a', 'production');
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 0, left 6', 'the released seats are free for all');
SELECT wallet.reserve_waitlist_seats('b', 'production', 1);
SELECT pg_temp.lesson('b', 20, NULL, 3), wallet.reserve_waitlist_seats('b', 'production', 1);
SELECT is(pg_temp.seats('b'), 'sold 0, reserved 0, left 3', 'without a waitlist, no seat is reserved');

-- The cutoff, and a cancelled class
SELECT pg_temp.lesson('late', 20, NULL, 2), pg_temp.book('ann', 'l1', 'late'), pg_temp.book('bob', 'l2', 'late');
SELECT pg_temp.join('dan', 'late');
SELECT pg_temp.wait('3 days - 1 hour - 1 microsecond');
SELECT pg_temp.cancel('ann', 'l1');
SELECT is(pg_temp.seats('late'), 'sold 1, reserved 1, left 0', 'until the cutoff a seat is reserved');
SELECT pg_temp.wait('1 microsecond');
SELECT
    is(pg_temp.seats('late'), 'sold 1, reserved 1, left 1',
    'after the cutoff the seat is free for all, even without a worker');
SELECT pg_temp.cancel('bob', 'l2');
SELECT is(pg_temp.seats('late'), 'sold 0, reserved 1, left 2', 'after the cutoff no further seat is reserved');
SELECT is(pg_temp.answer(pg_temp.book('cid', 'l3', 'late', 2)), '201 booked 40 credit', 'all free seats can be booked');
SELECT is(pg_temp.seats('late'), 'sold 2, reserved 0, left 0', 'reserved seats that were sold are not reserved');
SELECT pg_temp.sound();
SELECT pg_temp.lesson('gone', 20, NULL, 2), pg_temp.book('ann', 'g', 'gone', 2), pg_temp.join('dan', 'gone');
UPDATE wallet.classes SET status = 'cancelled' WHERE class_id = 'gone';
SELECT pg_temp.cancel_by(wallet.account_for('ann'), 'production', pg_temp.id_of('g'), 'studio');
SELECT is(pg_temp.seats('gone'), 'sold 0, reserved 0, left 2', 'a cancelled class holds nothing');
SELECT * FROM finish();
ROLLBACK;
