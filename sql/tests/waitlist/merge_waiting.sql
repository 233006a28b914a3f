-- The effect of merges (rule 32) and deletions (rule 33) on waitlists: wallet.merge_waiting, wallet.merge_accounts,
-- wallet.cancel_upcoming.
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT wallet.admit_token('anon', wallet.now(), TRUE), pg_temp.gift('anon', 100), pg_temp.gift('ann', 100);
SELECT pg_temp.lesson(c, 5, NULL, 1), pg_temp.gift('o' || c, 5), pg_temp.book('o' || c, 'o' || c, c)
FROM unnest(ARRAY['one', 'first', 'second', 'mine', 'theirs', 'alone']) AS c;
SELECT pg_temp.join('x', 'one'), pg_temp.join('anon', 'one', 1, 'credits', 7), pg_temp.join('y', 'one');
SELECT pg_temp.join('anon', 'first', 1, NULL, 8), pg_temp.join('x', 'first');
SELECT pg_temp.join('ann', 'first', 1, NULL, 9), pg_temp.join('ann', 'second', 1, NULL, 9);
SELECT pg_temp.join('x', 'second'), pg_temp.join('anon', 'second', 1, NULL, 8);
-- 'mine': the anonymous user waits and the other has booked; 'theirs': the reverse
UPDATE wallet.class_seats SET capacity = 2 WHERE class_id IN ('mine', 'theirs');
SELECT pg_temp.book('ann', 'm', 'mine'), pg_temp.book('anon', 't', 'theirs');
SELECT pg_temp.join('anon', 'mine'), pg_temp.join('ann', 'theirs'), pg_temp.join('x', 'theirs');
SELECT pg_temp.cancel('omine', 'omine'), pg_temp.cancel('otheirs', 'otheirs');
SELECT pg_temp.join('anon', 'alone', 1, NULL, NULL, 'production'), pg_temp.cancel('oalone', 'oalone');
SELECT is(
    pg_temp.seats('mine') || '; ' || pg_temp.seats('theirs') || '; ' || pg_temp.seats('alone'),
    'sold 1, reserved 1, left 0; sold 1, reserved 1, left 0; sold 0, reserved 1, left 0',
    'seats are reserved for the waiting users'
);
SELECT pg_temp.sound();
SELECT pg_temp.new_events();

SELECT wallet.merge_accounts('anon', 'ann');
SELECT is(
    pg_temp.new_events(), 'ann waitlist.left {"class_id": "mine"}, ann waitlist.left {"class_id": "theirs"}',
    'the user leaves the waitlists of booked classes'
);
SELECT is(pg_temp.line('one'), '1 x, 2 ann, 3 y', 'a place moves unchanged to the remaining account');
SELECT results_eq(
    $$ SELECT w.class_id, w.seats, w.asked_pay_with, w.asked_max_amount FROM wallet.waitlist AS w
       WHERE w.account_id = wallet.account_for('ann') ORDER BY w.class_id $$,
    $$ VALUES ('alone', 1, NULL, NULL::bigint), ('first', 1, NULL, 8), ('one', 1, 'credits', 7),
       ('second', 1, NULL, 9) $$, 'of two places the earlier stays, with its requested terms'
);
SELECT is(pg_temp.line('first') || '; ' || pg_temp.line('second'), '1 ann, 2 x; 1 ann, 2 x', 'where it was');
SELECT is(pg_temp.line('mine'), NULL, 'a user who has booked the class does not wait');
SELECT is(pg_temp.seats('mine'), 'sold 1, reserved 0, left 1', 'the seat reserved for that user is free');
SELECT is(pg_temp.line('theirs'), '1 x', 'the same the other way about');
SELECT is(pg_temp.seats('theirs'), 'sold 1, reserved 1, left 0', 'the seat stays reserved while others wait');
SELECT is(pg_temp.promote('alone'), 'booked done', 'the merged user is promoted after the merge');
SELECT pg_temp.sound();
SELECT is(
    (SELECT b.account_id FROM wallet.bookings AS b WHERE b.class_id = 'alone' AND b.cancelled_at IS NULL),
    wallet.account_for('ann'), 'the booking belongs to the remaining account'
);

-- A class that both users have booked frees a seat for the waitlist
SELECT wallet.admit_token('anon2', wallet.now(), TRUE), pg_temp.lesson('both', 5, NULL, 2);
SELECT pg_temp.gift('anon2', 10), pg_temp.book('anon2', 'b1', 'both'), pg_temp.book('ann', 'b2', 'both');
SELECT pg_temp.join('x', 'both'), wallet.merge_accounts('anon2', 'ann');
SELECT is(
    pg_temp.seats('both'), 'sold 1, reserved 1, left 0', 'the seat that was booked twice is reserved for the waitlist'
);
SELECT pg_temp.sound();

-- Deletion
SELECT pg_temp.join('ann', 'mine', 2), pg_temp.new_events();
SELECT pg_temp.lesson('del', 5, NULL, 1), pg_temp.gift('del', 5), pg_temp.book('del', 'd', 'del');
SELECT pg_temp.join('ann', 'del'), pg_temp.cancel('del', 'd'), pg_temp.new_events();
SELECT is(pg_temp.seats('del'), 'sold 0, reserved 1, left 0', 'a seat is reserved for the user');
SELECT wallet.delete_account('ann');
SELECT is_empty(
    $$ SELECT FROM wallet.waitlist AS w INNER JOIN wallet.accounts AS a ON w.account_id = a.account_id
       WHERE a.deleted_at IS NOT NULL $$, 'a deleted user is on no waitlist'
);
SELECT is(pg_temp.seats('del'), 'sold 0, reserved 0, left 1', 'the deleted user''s reserved seat is free for all');
SELECT is(pg_temp.line('one') || '; ' || pg_temp.line('first'), '1 x, 2 y; 1 x', 'the others move up');
SELECT is(
    pg_temp.seats('both'), 'sold 0, reserved 2, left 0', 'the deleted user''s booked seat is reserved for the waitlist'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox AS o
    WHERE o.type = 'waitlist.left' AND o.details ->> 'class_id' = 'del'), 1, 'an event reports it'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
