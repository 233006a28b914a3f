-- wallet.stop_waiting: a booking takes its user off the waitlist of the class (rule 22).
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift(u.who, 100) FROM unnest('{ann,bob,cid}'::text[]) AS u (who);
SELECT pg_temp.lesson('a', 20, NULL, 3), pg_temp.lesson('b', 20, NULL, 3);
SELECT pg_temp.book('ann', 'a', 'a'), pg_temp.book('cid', 'c', 'a'), pg_temp.book('cid', 'd', 'b');
SELECT pg_temp.gift('ann', 20, 'credit', NULL, 'sandbox'), pg_temp.book('ann', 's', 'a', 1, NULL, NULL, 'sandbox');
-- Groups that are larger than the free seats wait
SELECT
    pg_temp.join('bob', 'a', 3), pg_temp.join('dan', 'a', 3), pg_temp.join('bob', 'b', 3),
    pg_temp.join('bob', 'a', 3, p_environment => 'sandbox');
SELECT pg_temp.cancel('cid', 'c'), pg_temp.cancel('cid', 'd');
SELECT is(pg_temp.seats('a'), 'sold 1, reserved 1, left 1', 'a freed seat is reserved for the waitlist');
SELECT is(pg_temp.answer(pg_temp.book('bob', 'k', 'a')), '201 booked 20 credit', 'a waiting user books another seat');
SELECT is(pg_temp.line('a'), '1 dan', 'the user no longer waits, the others do');
SELECT is(pg_temp.seats('a'), 'sold 2, reserved 1, left 0', 'for whom the freed seat stays reserved');
SELECT is(
    pg_temp.line('b') || ', ' || pg_temp.line('a', 'sandbox'), '1 bob, 1 bob',
    'the user still waits for another class, and in the sandbox'
);
SELECT is(pg_temp.seats('b'), 'sold 0, reserved 1, left 2', 'one user waits for the other class');
SELECT is(pg_temp.answer(pg_temp.book('bob', 'l', 'b')), '201 booked 20 credit', 'the last waiting user books');
SELECT is(pg_temp.seats('b'), 'sold 1, reserved 0, left 2', 'all users may book the freed seat');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
