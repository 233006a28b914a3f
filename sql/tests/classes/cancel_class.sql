-- wallet.cancel_class: the class takes no further bookings, and every existing booking is free of charge (rule 21).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.drop_class(p_class_id text, p_key text DEFAULT NULL, p_reason text DEFAULT 'ill') RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT wallet.cancel_class(%L, %L, %L, %L)', p_class_id, p_reason, 'operator',
    p_key));
$$;
CREATE FUNCTION pg_temp.stands(p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.status, CASE WHEN c.settled THEN 'settled' END, c.cancel_reason,
    c.cancelled_at = wallet.now())
    FROM wallet.classes AS c WHERE c.class_id = p_class_id;
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20), pg_temp.lesson('soon', 20, NULL, 10, '1 hour');
SELECT pg_temp.gift('ann', 100), pg_temp.gift('bob', 100), pg_temp.book('ann', 'a', 'a', 2);
SELECT pg_temp.book('bob', 'a2', 'a');

SELECT is(pg_temp.drop_class('nowhere'), 'WL404 class-not-found', 'an unknown class');
SELECT is(pg_temp.drop_class('b', 'k'), 'nothing', 'a class without bookings');
SELECT is(pg_temp.stands('b'), 'cancelled settled ill t', 'a class without bookings is settled at once');
SELECT is(pg_temp.drop_class('b', 'k'), 'nothing', 'a replay');
SELECT is(pg_temp.drop_class('a', 'k'), 'WL422 idempotency-key-reused', 'another class under its key is refused');
SELECT is(pg_temp.drop_class('a', 'k2'), 'nothing', 'a class that was booked');
SELECT is(pg_temp.stands('a'), 'cancelled ill t', 'the class waits to be settled');
SELECT pg_temp.wait('1 minute');
SELECT is(pg_temp.drop_class('a', NULL, 'for another reason'), 'nothing', 'a repeated cancellation is accepted');
SELECT is(pg_temp.stands('a'), 'cancelled ill f', 'a repeated cancellation changes nothing');
SELECT is(pg_temp.answer(pg_temp.book('cid', 'c', 'a')), '409 class-closed', 'a cancelled class takes no bookings');
SELECT is(pg_temp.answer(pg_temp.ask('quote', 'cid', 'c', 'a')), '409 class-closed', 'a quote is refused, too');
SELECT is(pg_temp.seats_sold('a'), 3, 'bookings stay active until they are settled');
SELECT pg_temp.sound();

-- The member cancels before the studio, or after it
SELECT pg_temp.wait('4 days');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'a')), '200 cancelled 40 credit returned 40',
    'a member who cancels before the settling gets everything back, even after the start'
);
SELECT results_eq(
    $$ SELECT b.cancelled_by, b.late_cancel FROM wallet.booking_details AS b WHERE b.status = 'cancelled' $$,
    $$ VALUES ('studio', FALSE) $$, 'the studio cancelled them, and none counts as late'
);
SELECT is(wallet.settle_classes(10), 1, 'the other is reached, after the start, too');
SELECT is(pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '100 0 0 0, 100 0 0 0', 'everybody has everything');
SELECT is(pg_temp.seats_sold('a'), 0, 'no seat is sold');
SELECT is(pg_temp.stands('a'), 'cancelled settled ill f', 'the class is settled');
SELECT is(
    pg_temp.answer(pg_temp.cancel('bob', 'a2')), '200 cancelled 20 credit returned 20 replayed',
    'cancelling again answers the same'
);

-- A class that has begun
SELECT is(pg_temp.drop_class('soon'), 'WL409 class-closed', 'a class that has begun took place');
SELECT is(pg_temp.raised(format('SELECT wallet.cancel_class(%L, %L, %L, NULL)', 'late', repeat('x', 501), 'operator')),
    'WL404 class-not-found', 'an unknown one with a long reason');
SELECT pg_temp.lesson('late', 20);
SELECT is(pg_temp.drop_class('late', NULL, repeat('x', 501)), '23514', 'a reason too long');
SELECT is(pg_temp.drop_class('late', NULL, NULL), 'nothing', 'no reason');

-- The waitlist
SELECT pg_temp.lesson('w', 20, NULL, 1), pg_temp.book('ann', 'w', 'w');
INSERT INTO wallet.waitlist (class_id, environment, account_id, seats, joined_at)
SELECT 'w', 'production', wallet.account_for(u.id), 1, wallet.now() FROM unnest(ARRAY['bob', 'cid']) AS u (id);
UPDATE wallet.class_seats SET capacity = 2, reserved = 1 WHERE class_id = 'w' AND environment = 'production';
SELECT is(pg_temp.drop_class('w'), 'nothing', 'a class that others wait for');
SELECT is_empty('SELECT FROM wallet.waitlist', 'the waitlist is empty');
SELECT is((SELECT sum(s.reserved)::integer FROM wallet.class_seats AS s), 0, 'no seat is reserved');
SELECT results_eq(
    $$ SELECT wallet.event_body(o) -> 'data' -> 'user_id', wallet.event_body(o) -> 'data' -> 'class_id'
       FROM wallet.outbox AS o WHERE o.type = 'waitlist.removed' ORDER BY o.event_id $$,
    $$ VALUES ('"bob"'::jsonb, '"w"'::jsonb), ('"cid"', '"w"') $$, 'each waiting user gets an event'
);
SELECT is(wallet.settle_classes(10), 1, 'the booked user gets everything back');

-- Deleted and merged users
SELECT pg_temp.lesson('d', 20), pg_temp.book('ann', 'd', 'd'), pg_temp.drop_class('d'), pg_temp.wait('4 days');
SELECT wallet.delete_account('ann');
SELECT is(
    (SELECT concat_ws(' ', b.status, b.cancelled_by, b.returned) FROM wallet.booking_details AS b
     WHERE b.class_id = 'd'),
    'cancelled studio 20', 'a deletion before the settlement returns it'
);
SELECT is(wallet.settle_classes(10), 0, 'no booking is left to settle');
SELECT is(pg_temp.stands('d'), 'cancelled settled ill f', 'the class is settled all the same');
SELECT pg_temp.lesson('m', 20), wallet.account_for('anon', TRUE), pg_temp.gift('anon', 20);
UPDATE wallet.identities SET is_anonymous = TRUE WHERE user_id = 'anon';
SELECT pg_temp.book('anon', 'm', 'm'), pg_temp.drop_class('m'), wallet.merge_accounts('anon', 'bob');
SELECT is(wallet.settle_classes(10), 1, 'a booking is reached in the account that its own was merged into');
SELECT is(pg_temp.funds('bob'), '120 0 0 0', 'the deleted user''s price returns to the released lot');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
