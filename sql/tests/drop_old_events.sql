-- wallet.drop_old_events: what is done with goes after a while, what somebody must look at stays.
BEGIN;
\ir support/books.sql
\ir support/messages.sql
\ir support/events.sql
SELECT * FROM no_plan();
SELECT pg_temp.receive('done' || i, pg_temp.message('[]')) FROM generate_series(1, 3) AS i;
SELECT pg_temp.receive('ignored', pg_temp.message('[]', NULL, '{"ignored": "test"}'));
SELECT pg_temp.receive('new', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}'));
SELECT pg_temp.receive('parked', pg_temp.sold('t1', '$RCAnonymousID:1'));
SELECT pg_temp.failing('40P01'), pg_temp.receive('failed', pg_temp.sold('t2', 'ann')), pg_temp.failing('');
SELECT pg_temp.gift('ann', i) FROM generate_series(1, 4) AS i;
SELECT pg_temp.committed(), wallet.enqueue_deliveries(10);
SELECT wallet.record_delivery(o.event_id, NULL) FROM wallet.outbox AS o WHERE o.version <= 2;
UPDATE wallet.deliveries AS d SET status = 'dead' WHERE d.event_id = pg_temp.event_of('credits.granted');
SELECT pg_temp.wait('30 days');
SELECT is(wallet.drop_old_events('30 days', 10), 0, 'nothing is older than that');
SELECT pg_temp.receive('young', pg_temp.message('[]'));
SELECT pg_temp.wait('1 second');
SELECT is(wallet.drop_old_events('30 days', 1), 2, 'one message and one delivery at a time');
SELECT is(wallet.drop_old_events('30 days', 10), 4, 'then the rest');
SELECT is(wallet.drop_old_events('30 days', 10), 0, 'then none');
SELECT set_eq(
    'SELECT i.source_event_id FROM wallet.inbox AS i', $$ VALUES ('new'), ('parked'), ('failed'), ('young') $$,
    'what waits, failed or is young stays'
);
SELECT set_eq(
    'SELECT d.status FROM wallet.deliveries AS d', $$ VALUES ('pending'), ('dead') $$, 'what was not delivered stays'
);
SELECT is(wallet.enqueue_deliveries(10), 0, 'no event is sent a second time for it');
SELECT is(
    (SELECT count(*)::integer FROM admin.outbox AS o WHERE o.status = 'delivered'), 2, 'and it counts as delivered'
);
SELECT is(wallet.drop_old_events(NULL, 10), 0, 'for ever is for ever');
SELECT is(pg_temp.receive('done1', pg_temp.message('[]')), 'processed', 'what comes again after that is taken again');
SELECT * FROM finish();
ROLLBACK;
