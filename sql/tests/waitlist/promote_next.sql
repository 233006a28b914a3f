-- wallet.promote_next and its helpers: who gets a reserved seat, and on which terms (rule 22).
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20, NULL, 1), pg_temp.gift('ann', 500), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.join(u, 'a') FROM unnest(ARRAY['bob', 'cid', 'dan']) AS u;
SELECT pg_temp.gift('cid', 50), pg_temp.gift('dan', 50), pg_temp.new_events();

SELECT is(pg_temp.promote('nowhere'), 'done', 'an unknown class needs no promotion');
SELECT is(pg_temp.promote('a'), 'done', 'without reserved seats there is nothing to do');
SELECT is_empty('SELECT FROM wallet.classes_to_promote(10)', 'no class is listed for promotion');
SELECT pg_temp.cancel('ann', 'k'), pg_temp.new_events();
SELECT results_eq(
    'SELECT c.class_id, c.environment::text FROM wallet.classes_to_promote(10) AS c',
    $$ VALUES ('a', 'production') $$, 'a class with reserved seats is'
);
SELECT is_empty('SELECT FROM wallet.classes_to_promote(0)', 'a limit of 0 lists no class');

-- The first waiting user comes first; users who cannot pay are passed over
SELECT is(wallet.promote_next('a', 'production'), 'skipped', 'the first user cannot pay and is passed over');
SELECT is(pg_temp.new_events(), NULL, 'no event is sent');
SELECT is(pg_temp.funds('bob'), '0 0 0 0', 'no movement is posted');
SELECT is(wallet.promote_next('a', 'production'), 'booked', 'the next is booked');
SELECT is(pg_temp.funds('cid'), '30 0 0 0', 'the promoted user pays');
SELECT is(pg_temp.line('a'), '1 bob, 2 dan', 'a passed-over user keeps the place');
SELECT is(pg_temp.seats('a'), 'sold 1, reserved 0, left 0', 'the seat is sold');
SELECT is(pg_temp.new_events(), 'cid booking.created {"from_waitlist": true}', 'the event names the waitlist');
SELECT is(pg_temp.promote('a'), 'done', 'the round ends when no seat is reserved');
SELECT pg_temp.sound();

-- The next freed seat begins a new round, from the first waiting user
CREATE FUNCTION pg_temp.give_up(p_user text, p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answer(pg_temp.cancel_by(b.account_id, b.environment, b.booking_id, 'user'))
    FROM wallet.bookings AS b
    WHERE b.account_id = wallet.account_for(p_user) AND b.class_id = p_class_id AND b.cancelled_at IS NULL;
$$;
SELECT pg_temp.gift('bob', 20), pg_temp.give_up('cid', 'a');
SELECT is(pg_temp.promote('a'), 'booked done', 'the next round promotes the user');
SELECT is(pg_temp.line('a'), '1 dan', 'the passed-over user comes first in the next round');
SELECT pg_temp.give_up('bob', 'a'), pg_temp.join('eve', 'a');
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('dan');
SELECT is(pg_temp.promote('a'), 'skipped skipped done', 'a blocked member is passed over, and no user is left');
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 0, left 1', 'the seat is free for all');
SELECT is(pg_temp.line('a'), '1 dan, 2 eve', 'the users still wait');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'k2', 'a')), '201 booked 20 credit', 'another user books it');
UPDATE wallet.accounts SET blocked_at = NULL;
SELECT pg_temp.cancel('ann', 'k2');
SELECT is(wallet.promote_next('a', 'production'), 'booked', 'the first of the list is promoted when they can be');
SELECT pg_temp.give_up('dan', 'a'), pg_temp.new_events();
SELECT is(wallet.promote_next('a', 'production'), 'skipped', 'a member cannot pay');
SELECT pg_temp.gift('fay', 20), pg_temp.join('fay', 'a');
SELECT is(pg_temp.promote('a'), 'booked done', 'a member who joins during a round takes part in it');
SELECT pg_temp.sound();

-- The terms under which a member joined
SELECT pg_temp.lesson('t', 20, 2, 1), pg_temp.book('ann', 't', 't');
SELECT pg_temp.gift(u, 5, 'visit'), pg_temp.gift(u, 100) FROM unnest(ARRAY['m1', 'm2', 'm3', 'm4']) AS u;
SELECT pg_temp.join('m1', 't', 1, NULL, 19), pg_temp.join('m2', 't', 1, 'unlimited');
SELECT pg_temp.join('m3', 't', 1, 'credits', 20), pg_temp.join('m4', 't');
SELECT pg_temp.cancel('ann', 't');
SELECT pg_temp.lesson('t', 20, 20, 1);
SELECT is(
    pg_temp.promote('t'), 'skipped skipped booked done',
    'members with a lower price limit or an unavailable payment are passed over'
);
SELECT is(pg_temp.funds('m3'), '80 5 0 0', 'a member who asked to pay with credits pays with credits');
SELECT results_eq(
    $$ SELECT b.promoted, b.asked_pay_with, b.asked_max_amount, b.idempotency_key::text FROM wallet.bookings AS b
       WHERE b.class_id = 't' AND b.cancelled_at IS NULL $$,
    $$ VALUES (TRUE, 'credits', 20::bigint, NULL) $$,
    'the booking stores the requested terms and has no idempotency key'
);
SELECT pg_temp.lesson('t', 21, 20, 1), pg_temp.leave('m4', 't'), pg_temp.give_up('m3', 't');
SELECT pg_temp.join('m3', 't', 1, 'credits', 20);
SELECT is(pg_temp.promote('t'), 'skipped skipped skipped done', 'a price raised while they waited');
SELECT pg_temp.sound();

-- Requests for several seats
SELECT pg_temp.lesson('g', 10, NULL, 4), pg_temp.book('ann', 'g1', 'g', 1), pg_temp.book('cid', 'g2', 'g', 1);
SELECT pg_temp.book('dan', 'g3', 'g', 1), pg_temp.join('m1', 'g', 3), pg_temp.join('m2', 'g', 2);
SELECT is(pg_temp.seats('g'), 'sold 3, reserved 0, left 1', 'one seat is free for all, and groups wait');
SELECT pg_temp.cancel('ann', 'g1');
SELECT is(
    pg_temp.promote('g'), 'skipped booked done', 'a group too large is passed over; a reserved and a free seat make two'
);
SELECT is(pg_temp.seats('g'), 'sold 4, reserved 0, left 0', 'both are sold');
SELECT pg_temp.cancel('cid', 'g2'), pg_temp.cancel('dan', 'g3'), pg_temp.give_up('m2', 'g');
SELECT is(pg_temp.seats('g'), 'sold 0, reserved 4, left 0', 'when more come free');
SELECT is(pg_temp.promote('g'), 'booked done', 'the group gets its seats');
SELECT is(pg_temp.seats('g'), 'sold 3, reserved 0, left 1', 'the remaining seat is free for all');
SELECT pg_temp.sound();

-- A waiting user books a seat that is free for all
SELECT pg_temp.join('m2', 'g', 2), pg_temp.join('m3', 'g', 2), pg_temp.new_events();
SELECT is(pg_temp.answer(pg_temp.book('m2', 'g5', 'g')), '201 booked 10 credit', 'a waiting user may book a free seat');
SELECT is(pg_temp.line('g'), '1 m3', 'the user does not wait');
SELECT is(pg_temp.new_events(), 'm2 booking.created', 'one event reports the booking');
SELECT pg_temp.give_up('m1', 'g');
SELECT is(pg_temp.seats('g'), 'sold 1, reserved 3, left 0', 'seats are reserved for the last waiting user');
UPDATE wallet.class_seats SET capacity = 6 WHERE class_id = 'g';
SELECT pg_temp.book('m3', 'g6', 'g', 2);
SELECT is(pg_temp.seats('g'), 'sold 3, reserved 0, left 3', 'that user books other seats, so these are free for all');
SELECT pg_temp.sound();

-- Only the waitlist uses reserved seats
SELECT pg_temp.lesson('w', 1, NULL, 2), pg_temp.book('ann', 'w1', 'w', 2);
SELECT pg_temp.join(u, 'w'), pg_temp.gift(u, 1) FROM unnest(ARRAY['w1', 'w2']) AS u;
SELECT pg_temp.cancel('ann', 'w1');
UPDATE wallet.class_seats SET capacity = 5 WHERE class_id = 'w';
SELECT is(pg_temp.seats('w'), 'sold 0, reserved 2, left 3', 'two seats of five are reserved');
SELECT pg_temp.book('ann', 'w2', 'w', 1);
SELECT is(pg_temp.seats('w'), 'sold 1, reserved 2, left 2', 'another user books a seat that is free for all');
SELECT is(wallet.promote_next('w', 'production'), 'booked', 'a waiting user is booked');
SELECT is(pg_temp.seats('w'), 'sold 2, reserved 1, left 2', 'into a reserved seat');
SELECT pg_temp.sound();

-- A promoted booking is free to cancel for half an hour, and by the class's policy
SELECT pg_temp.lesson(c, 10, NULL, 1, '20 hours'), pg_temp.book('ann', c, c), pg_temp.join('m1', c),
    pg_temp.cancel('ann', c), pg_temp.promote(c) FROM unnest(ARRAY['p1', 'p2']) AS c;
SELECT is(pg_temp.funds('m1'), '80 5 0 0', 'promoted within the class''s late window');
SELECT pg_temp.wait('30 minutes');
SELECT is(
    pg_temp.give_up('m1', 'p1'), '200 cancelled 10 credit returned 10', 'the booking is free to cancel for 30 minutes'
);
SELECT pg_temp.wait('1 microsecond');
SELECT is(pg_temp.give_up('m1', 'p2'), '200 cancelled 10 credit returned 0 late', 'later nothing returns');
SELECT pg_temp.lesson('p3', 10, NULL, 1, '61 minutes', 60), pg_temp.book('ann', 'p3', 'p3'), pg_temp.join('m1', 'p3');
SELECT pg_temp.cancel('ann', 'p3'), pg_temp.promote('p3');
UPDATE wallet.classes SET waitlist_cutoff_minutes = 5 WHERE class_id = 'p1';
SELECT pg_temp.book('ann', 'p4', 'p1'), pg_temp.join('m2', 'p1');
SELECT results_eq(
    $$ SELECT b.free_until FROM wallet.bookings AS b WHERE b.class_id = 'p3' AND b.cancelled_at IS NULL $$,
    $$ VALUES (wallet.now() + interval '30 minutes') $$, 'half an hour where the policy gives less'
);
SELECT pg_temp.wait('19 hours 10 minutes'), pg_temp.cancel('ann', 'p4');
SELECT is(pg_temp.promote('p1'), 'booked done', 'promoted shortly before the start');
SELECT results_eq(
    $$ SELECT b.free_until, c.starts_at FROM wallet.bookings AS b
       INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
       WHERE b.class_id = 'p1' AND b.cancelled_at IS NULL $$,
    $$ SELECT c.starts_at, c.starts_at FROM wallet.classes AS c WHERE c.class_id = 'p1' $$,
    'the free period ends at the start'
);
SELECT pg_temp.lesson('p5', 10, NULL, 1, '4 days'), pg_temp.book('ann', 'p5', 'p5'), pg_temp.join('m1', 'p5');
SELECT pg_temp.cancel('ann', 'p5'), pg_temp.promote('p5');
SELECT results_eq(
    $$ SELECT b.free_until FROM wallet.bookings AS b WHERE b.class_id = 'p5' AND b.cancelled_at IS NULL $$,
    $$ VALUES (wallet.now() + interval '3 days') $$, 'the class''s policy applies if it gives more time'
);

-- The cutoff
SELECT pg_temp.lesson('c', 10, NULL, 1, '2 hours'), pg_temp.book('ann', 'c', 'c'), pg_temp.join('m2', 'c');
SELECT pg_temp.cancel('ann', 'c'), pg_temp.wait('1 hour'), pg_temp.new_events();
SELECT is(pg_temp.promote('c'), 'done', 'after the cutoff no user is promoted');
SELECT is(pg_temp.seats('c'), 'sold 0, reserved 0, left 1', 'the seat is free for all');
SELECT is(pg_temp.line('c'), '1 m2', 'though they wait');
SELECT is(pg_temp.new_events(), NULL, 'no event is sent');
SELECT pg_temp.lesson('d', 10, NULL, 1, '2 hours'), pg_temp.book('ann', 'd', 'd'), pg_temp.join('m2', 'd');
SELECT pg_temp.cancel('ann', 'd'), pg_temp.wait('1 hour - 1 microsecond');
SELECT is(pg_temp.promote('d'), 'booked done', 'before the cutoff a user is promoted');
SELECT pg_temp.sound();

-- Each environment has a separate waitlist
SELECT pg_temp.lesson('e', 10, NULL, 1, '4 days'), pg_temp.gift('ann', 50, p_environment => 'sandbox');
SELECT pg_temp.gift('m2', 50, p_environment => 'sandbox');
SELECT pg_temp.book('ann', 'e1', 'e'), pg_temp.book('ann', 'e2', 'e', p_environment => 'sandbox');
SELECT pg_temp.join('m1', 'e'), pg_temp.join('m2', 'e', p_environment => 'sandbox');
SELECT pg_temp.cancel('ann', 'e2', 'sandbox');
SELECT is(pg_temp.seats('e') || '; ' || pg_temp.seats('e', 'sandbox'),
    'sold 1, reserved 0, left 0; sold 0, reserved 1, left 0', 'a sandbox seat is reserved for the sandbox');
SELECT is(
    pg_temp.promote('e') || ', ' || pg_temp.promote('e', 'sandbox'), 'done, booked done',
    'the seat goes to the user who waits there'
);
SELECT is(pg_temp.funds('m2', 'sandbox'), '40 0 0 0', 'that user pays there');
SELECT pg_temp.sound();

-- A member who should not be on the list is removed
SELECT pg_temp.lesson('z', 10, NULL, 1, '4 days'), pg_temp.book('ann', 'z', 'z');
SELECT pg_temp.join(u, 'z') FROM unnest(ARRAY['m1', 'm2', 'm3']) AS u;
UPDATE wallet.accounts SET deleted_at = wallet.now() WHERE account_id = wallet.account_for('m1');
INSERT INTO wallet.waitlist (class_id, environment, account_id, seats, joined_at)
VALUES ('z', 'production', wallet.account_for('ann'), 1, wallet.now());
UPDATE wallet.class_seats SET capacity = 2, reserved = 1, reservation_round = 1
WHERE class_id = 'z' AND environment = 'production';
UPDATE wallet.waitlist SET passed_round = 1 WHERE class_id = 'z' AND account_id = wallet.account_for('m2');
DELETE FROM wallet.waitlist WHERE class_id = 'z' AND account_id = wallet.account_for('m3');
SELECT is(pg_temp.promote('z'), 'skipped skipped done', 'deleted users and users with a booking are skipped');
SELECT is(pg_temp.line('z'), '1 m2', 'both are removed from the list');
UPDATE wallet.accounts SET deleted_at = NULL;
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
