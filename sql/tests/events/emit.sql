-- wallet.emit: each movement is in the outbox once, written in the movement's transaction (rule 34).
-- Guarantee: events-once
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.book('ann', 'k', 'a'), pg_temp.cancel('ann', 'k'), pg_temp.cancel('ann', 'k');
SELECT pg_temp.gift('ann', 5), pg_temp.wait('1 second');
SELECT wallet.adjust(wallet.account_for('ann'), 'production', 'credit', -5, 'r', 'test', 'back');
SELECT pg_temp.buy('ann', 't', 'starter', '{"refunded_millionths": 1000000}');
SELECT results_eq(
    $$ SELECT o.type, o.version, o.booking_id = pg_temp.id_of('k'), o.claim_id IS NOT NULL, o.xid = pg_current_xact_id()
       FROM wallet.outbox AS o ORDER BY o.event_id $$,
    $$ VALUES ('credits.granted', 1::bigint, NULL::boolean, TRUE, TRUE),
              ('booking.created', 2, TRUE, FALSE, TRUE), ('booking.cancelled', 3, TRUE, FALSE, TRUE),
              ('credits.granted', 4, NULL, FALSE, TRUE), ('credits.debited', 5, NULL, FALSE, TRUE),
              ('credits.refunded', 6, NULL, TRUE, TRUE) $$,
    'each movement has one event with its version, and a replay has none'
);
SELECT is_empty(
    $$ SELECT p.proname FROM pg_catalog.pg_proc AS p
       WHERE p.pronamespace = 'wallet'::regnamespace AND p.prosrc ~* '\mnotify\M|pg_notify' $$,
    'nothing notifies: a NOTIFY would make every commit wait for every other'
);
SELECT wallet.emit('nothing', wallet.account_for('new'), 'production');
SELECT results_eq(
    $$ SELECT o.account_id = wallet.account_for('new'), o.version FROM wallet.outbox AS o WHERE o.type = 'nothing' $$,
    $$ VALUES (TRUE, NULL::bigint) $$, 'an account without a wallet has events without a version'
);
SELECT * FROM finish();
ROLLBACK;
