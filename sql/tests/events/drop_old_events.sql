-- wallet.drop_old_events: finished deliveries are removed after some time; deliveries that need attention stay.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', i) FROM generate_series(1, 4) AS i;
SELECT pg_temp.committed(), wallet.enqueue_deliveries(10);
SELECT wallet.record_delivery(o.event_id, NULL) FROM wallet.outbox AS o WHERE o.version <= 2;
UPDATE wallet.deliveries AS d SET status = 'dead' WHERE d.event_id = pg_temp.event_of('credits.granted');
SELECT pg_temp.wait('30 days');
SELECT is(wallet.drop_old_events('30 days', 10), 0, 'nothing is older than that');
SELECT pg_temp.wait('1 second');
SELECT is(wallet.drop_old_events('30 days', 1), 1, 'the limit of one call holds');
SELECT is(wallet.drop_old_events('30 days', 10), 1, 'the next call removes the rest');
SELECT is(wallet.drop_old_events('30 days', 10), 0, 'no old delivery is left');
SELECT set_eq(
    'SELECT d.status FROM wallet.deliveries AS d', $$ VALUES ('pending'), ('dead') $$, 'undelivered events stay'
);
SELECT is(wallet.enqueue_deliveries(10), 0, 'the removed event is not sent again');
SELECT is(
    (SELECT count(*)::integer FROM admin.outbox AS o WHERE o.status = 'delivered'), 2,
    'removed deliveries still count as delivered'
);
SELECT is(wallet.drop_old_events(NULL, 10), 0, 'without a limit of age nothing is removed');
SELECT * FROM finish();
ROLLBACK;
