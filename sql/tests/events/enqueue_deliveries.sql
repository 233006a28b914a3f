-- wallet.enqueue_deliveries: every event is enqueued once, in the order in which transactions ended (rule 34).
-- isolation/events/events_in_order.spec tests concurrent transactions.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 1), pg_temp.gift('ann', 2);
SELECT is(wallet.enqueue_deliveries(10), 0, 'uncommitted events are not enqueued, not even for their own transaction');
UPDATE wallet.outbox AS o SET xid = CASE o.version WHEN 1 THEN '7'::xid8 ELSE '5' END;
SELECT pg_temp.gift('bob', 3);
SELECT is(wallet.enqueue_deliveries(1), 1, 'the limit of one call holds');
SELECT is(
    (SELECT concat_ws(' ', o.version, d.status, d.attempts, d.next_attempt_at = wallet.now())
    FROM wallet.deliveries AS d INNER JOIN wallet.outbox AS o ON d.event_id = o.event_id AND d.event_at = o.at),
    '2 pending 0 t', 'first what ended first, due at once'
);
SELECT is(wallet.enqueue_deliveries(10), 1, 'the next call enqueues the next event');
SELECT is(wallet.enqueue_deliveries(10), 0, 'the last event''s transaction is still running');
SELECT is((SELECT count(*)::integer FROM wallet.deliveries), 2, 'each event is enqueued once');
SELECT is((SELECT c.xid::text FROM wallet.outbox_cursor AS c), '7', 'the cursor is after the enqueued events');
UPDATE wallet.outbox AS o SET xid = '8' WHERE o.xid = pg_current_xact_id();
INSERT INTO wallet.deliveries (event_id, event_at, status, delivered_at, next_attempt_at)
SELECT o.event_id, o.at, 'delivered', wallet.now(), wallet.now() FROM wallet.outbox AS o WHERE o.xid = '8';
SELECT is(wallet.enqueue_deliveries(10), 1, 'an event that an administrator sent earlier');
SELECT is(
    (SELECT count(*)::integer FROM wallet.deliveries AS d WHERE d.status = 'pending'), 2, 'that event is not sent twice'
);
SELECT pg_temp.gift('bob', 3), pg_temp.gift('bob', 3), pg_temp.gift('bob', 3);
UPDATE wallet.outbox AS o SET xid = '9' WHERE o.xid = pg_current_xact_id();
SELECT is(wallet.enqueue_deliveries(2), 2, 'a limit in the middle of a transaction');
SELECT is(wallet.enqueue_deliveries(2), 1, 'no event is lost');
SELECT is(wallet.enqueue_deliveries(0), 0, 'a limit of 0 enqueues nothing');
SELECT is((SELECT count(*)::integer FROM wallet.deliveries), 6, 'all events are enqueued');
UPDATE wallet.outbox_cursor SET xid = '900000000000';
SELECT is(
    pg_temp.raised('SELECT wallet.enqueue_deliveries(10)'), 'WL500 outbox-of-another-cluster',
    'a cursor of another cluster raises an error'
);
SELECT * FROM finish();
ROLLBACK;
