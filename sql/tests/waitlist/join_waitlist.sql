-- wallet.join_waitlist, wallet.refuse_waiting and the view waitlist_places: who may wait for which classes, and at
-- which place (rule 22).
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20, NULL, 2), pg_temp.gift('ann', 100), pg_temp.book('ann', 'k', 'a', 2);
SELECT pg_temp.new_events();

SELECT is(pg_temp.join('bob', 'a'), 'new', 'a full class can be waited for, with an empty wallet');
SELECT is(pg_temp.join('cid', 'a', 2, 'credits', 40), 'new', 'another user joins');
SELECT is(
    pg_temp.join('dan', 'a', 100), 'WL409 class-full {"seats_left": 0, "seats_requested": 100}',
    'more seats than the class has are refused'
);
SELECT is(pg_temp.line('a'), '1 bob, 2 cid', 'users wait in order of arrival');
SELECT is(
    pg_temp.new_events(),
    'bob waitlist.joined {"place": 1, "class_id": "a"}, cid waitlist.joined {"place": 2, "class_id": "a"}',
    'each event has the user''s place'
);
SELECT is_empty(
    $$ SELECT FROM wallet.wallets AS w INNER JOIN wallet.users AS u ON w.account_id = u.account_id
       WHERE u.user_id <> 'ann' $$, 'waiting moves no money, and makes no wallet'
);
SELECT is(pg_temp.seats('a'), 'sold 2, reserved 0, left 0', 'waiting takes no seat');
SELECT results_eq(
    $$ SELECT l.environment::text, l.waitlist_length FROM wallet.class_list AS l WHERE l.class_id = 'a'
       ORDER BY l.environment::text $$,
    $$ VALUES ('production', 2), ('sandbox', 0) $$, 'the class shows how many wait'
);
SELECT results_eq(
    $$ SELECT p.class_title, p.starts_at, p.seats, p.joined_at FROM wallet.waitlist_places AS p
       WHERE p.account_id = wallet.account_for('cid') $$,
    $$ VALUES ('Class a', wallet.now() + interval '3 days', 2, wallet.now()) $$, 'a place shows the requested terms'
);

-- A place counts only those who wait in the same environment
SELECT pg_temp.lesson('e', 20, NULL, 1), pg_temp.gift('ann', 20, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('ann', 'e1', 'e'), pg_temp.book('ann', 'e2', 'e', 1, NULL, NULL, 'sandbox');
SELECT is(pg_temp.join('bob', 'e', p_environment => 'sandbox'), 'new', 'a tester waits');
SELECT is(pg_temp.join('cid', 'e'), 'new', 'a user waits');
SELECT is(pg_temp.join('cid', 'e', 1, 'credits'), 'WL409 already-waiting {"place": 1}', 'as the first');
SELECT pg_temp.new_events();

-- A repeated request
SELECT is(pg_temp.join('bob', 'a'), 'known', 'a repeated request keeps the place');
SELECT is(pg_temp.join('cid', 'a', 2, 'credits', 40), 'known', 'a repeated request with the same terms');
SELECT is(
    (SELECT string_agg(pg_temp.join('cid', 'a', i.seats, i.pay_with, i.max_amount), ', ' ORDER BY i.n) FROM (
        VALUES (1, 1, 'credits', 40), (2, 2, NULL, 40), (3, 2, 'visits', 40), (4, 2, 'credits', NULL),
            (5, 2, 'credits', 41)
    ) AS i (n, seats, pay_with, max_amount)),
    (SELECT string_agg('WL409 already-waiting {"place": 2}', ', ') FROM generate_series(1, 5)),
    'other seats, payment or limit while waiting are refused, with the place'
);
SELECT is(
    pg_temp.join('bob', 'a', 2), 'WL409 already-waiting {"place": 1}', 'the place does not count those behind it'
);
SELECT is(pg_temp.line('a'), '1 bob, 2 cid', 'no place has changed');
SELECT is(pg_temp.new_events(), NULL, 'no event is sent');

-- Refusals
SELECT is(pg_temp.join('bob', 'nowhere'), 'WL404 class-not-found', 'an unknown class');
SELECT is(pg_temp.join('bob', 'a', i.seats), 'WL400 malformed-request', 'seats that no booking has')
FROM (VALUES (0), (-1), (101), (NULL)) AS i (seats);
SELECT is(
    pg_temp.join('ann', 'a'), format('WL409 already-booked {"booking_id": "%s"}', pg_temp.id_of('k')),
    'a user with a booking cannot join'
);
SELECT is(
    pg_temp.join('dan', 'a', 1, 'money'), 'WL409 payment-not-accepted {"pay_with": "money"}', 'an unknown payment'
);
SELECT is(
    pg_temp.join('dan', 'a', 1, repeat('x', 101)),
    format('WL409 payment-not-accepted {"pay_with": "%s"}', repeat('x', 100)), 'a long payment is cut in the answer'
);
SELECT is(
    pg_temp.join('dan', 'a', 1, gen_random_uuid()::text), 'new', 'a lot is accepted that the user does not have yet'
);
SELECT pg_temp.leave('dan', 'a');
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('dan');
SELECT is(pg_temp.join('dan', 'a'), 'WL403 account-blocked', 'a blocked account');
UPDATE wallet.accounts SET blocked_at = NULL;
SELECT pg_temp.lesson('free', 20, NULL, 2), pg_temp.book('ann', 'f', 'free');
SELECT is(pg_temp.join('dan', 'free'), 'WL409 seats-available {"seats_left": 1}', 'a seat that can be booked');
SELECT is(pg_temp.join('dan', 'free', 2), 'new', 'more seats than are left can be waited for');
UPDATE wallet.classes SET max_seats = 2 WHERE class_id = 'a';
SELECT is(pg_temp.join('dan', 'a', 3), 'WL409 too-many-seats {"max_seats": 2}', 'the limits of a booking hold');
UPDATE wallet.accounts SET merged_into = wallet.account_for('ann') WHERE account_id = wallet.account_for('dan');
SELECT is(pg_temp.join('dan', 'a'), 'WL401 unauthenticated', 'a merged account');
UPDATE wallet.accounts SET merged_into = NULL, deleted_at = wallet.now() WHERE account_id = wallet.account_for('dan');
SELECT is(pg_temp.join('dan', 'a'), 'WL401 unauthenticated', 'a deleted one');
UPDATE wallet.accounts SET deleted_at = NULL;

-- Each environment has its own list
SELECT is(
    pg_temp.join('bob', 'a', p_environment => 'sandbox'), 'WL409 seats-available {"seats_left": 2}',
    'free sandbox seats count in the sandbox only'
);
SELECT pg_temp.gift('eve', 100, p_environment => 'sandbox');
SELECT pg_temp.book('eve', 's', 'a', 2, p_environment => 'sandbox');
SELECT is(pg_temp.join('cid', 'a', p_environment => 'sandbox'), 'new', 'the sandbox has a separate waitlist');
SELECT is(pg_temp.join('cid', 'a', p_environment => 'sandbox'), 'known', 'a repeated request in one of both lists');
SELECT is(pg_temp.line('a') || '; ' || pg_temp.line('a', 'sandbox'), '1 bob, 2 cid; 1 cid', 'apart from the other');

-- The cutoff: by default an hour before the start
SELECT pg_temp.wait('3 days - 1 hour - 1 microsecond');
SELECT is(pg_temp.join('dan', 'a'), 'new', 'users can join until the cutoff');
SELECT pg_temp.wait('1 microsecond');
SELECT is(
    pg_temp.join('eve', 'a'), 'WL409 waitlist-closed {"closed_at": "2030-01-04T11:00:00Z"}',
    'users cannot join after the cutoff'
);
SELECT is(pg_temp.join('dan', 'a'), 'known', 'a user who is already waiting gets that answer');
SELECT is(pg_temp.line('a'), '1 bob, 2 cid, 3 dan', 'waiting users keep their places');
SELECT pg_temp.wait('1 hour');
SELECT is(pg_temp.join('dan', 'a'), 'WL409 class-closed', 'the waitlist of a started class is closed');
SELECT is(pg_temp.line('a'), NULL, 'no place is shown after the start');
SELECT pg_temp.lesson('gone', 20, NULL, 1), pg_temp.book('ann', 'g', 'gone');
SELECT wallet.cancel_class('gone', 'ill', 'operator', NULL), wallet.settle_classes(10);
SELECT is(pg_temp.join('dan', 'gone'), 'WL409 class-closed', 'the waitlist of a cancelled class is closed');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
