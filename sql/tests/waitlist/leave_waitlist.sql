-- wallet.leave_waitlist: removes a user from the waitlist and releases seats reserved for them (rule 22).
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20, NULL, 1), pg_temp.gift('ann', 100), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.join(u, 'a') FROM unnest(ARRAY['bob', 'cid', 'dan']) AS u;
SELECT pg_temp.new_events();

SELECT is(pg_temp.leave('cid', 'nowhere'), 'WL404 class-not-found', 'an unknown class');
SELECT is(pg_temp.leave('eve', 'a'), 'nothing', 'a user who does not wait may leave');
SELECT is(pg_temp.new_events(), NULL, 'no event is sent');
SELECT is(pg_temp.leave('ann', 'a'), 'nothing', 'leaving the waitlist does not affect a booking that was not promoted');
SELECT is(pg_temp.leave('cid', 'a', 'sandbox'), 'nothing', 'the other environment has another list');
SELECT is(pg_temp.leave('cid', 'a'), 'nothing', 'a waiting user leaves');
SELECT is(pg_temp.line('a'), '1 bob, 2 dan', 'the other users move up');
SELECT is(pg_temp.new_events(), 'cid waitlist.left {"class_id": "a"}', 'an event reports it');
SELECT is(pg_temp.leave('cid', 'a'), 'nothing', 'leaving again does nothing');
SELECT is(pg_temp.join('cid', 'a'), 'new', 'the user joins again');
SELECT is(pg_temp.line('a'), '1 bob, 2 dan, 3 cid', 'the user is the last in line');

-- Reserved seats stay reserved only while users wait
SELECT pg_temp.cancel('ann', 'k');
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 1, left 0', 'a freed seat is reserved');
SELECT pg_temp.leave('bob', 'a'), pg_temp.leave('cid', 'a');
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 1, left 0', 'the seat stays reserved while other users wait');
SELECT pg_temp.leave('dan', 'a');
SELECT is(pg_temp.seats('a'), 'sold 0, reserved 0, left 1', 'after the last user leaves, the seat is free for all');
SELECT is(pg_temp.promote('a'), 'done', 'no user is left to promote');
SELECT pg_temp.sound();

-- A user who was promoted meanwhile
SELECT pg_temp.book('ann', 'k2', 'a'), pg_temp.join('bob', 'a'), pg_temp.gift('bob', 20), pg_temp.cancel('ann', 'k2');
SELECT is(pg_temp.promote('a'), 'booked done', 'the waiting user is promoted');
SELECT is(
    pg_temp.leave('bob', 'a'), (
        SELECT format('WL409 already-booked {"booking_id": "%s"}', b.booking_id) FROM wallet.bookings AS b
        WHERE b.account_id = wallet.account_for('bob')
    ), 'a user who leaves too late gets the booking in the answer'
);
SELECT pg_temp.cancel_by(b.account_id, b.environment, b.booking_id, 'user') FROM wallet.bookings AS b
WHERE b.account_id = wallet.account_for('bob');
SELECT is(pg_temp.leave('bob', 'a'), 'nothing', 'after its cancellation the answer names no booking');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
