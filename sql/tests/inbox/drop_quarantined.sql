-- wallet.drop_quarantined: messages that could not be applied for a long time are given up, and can be replayed for
-- some time.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
SELECT wallet.quarantine_event('revenuecat', 'raw', 'x', '{"event": {"app_user_id": "ann"}}', 'unreadable');
SELECT pg_temp.failing('23514'), pg_temp.receive('fails', pg_temp.sold('t1', 'ann'));
SELECT wallet.process_event((pg_temp.row_of('fails')).inbox_id, NULL) FROM generate_series(1, 19);
SELECT pg_temp.receive('young', pg_temp.sold('t2', 'ann')), pg_temp.failing('');
SELECT pg_temp.receive('waits', pg_temp.sold('t3', '$RCAnonymousID:1'));
SELECT matches(pg_temp.stored('fails'), '^quarantined 23514', 'a message that failed too often');
SELECT pg_temp.wait('90 days');
SELECT is(wallet.drop_quarantined('90 days', 10), 0, 'no message is old enough');
SELECT pg_temp.wait('1 second');
SELECT is(wallet.drop_quarantined(NULL, 10), 0, 'without a limit of age nothing is given up');
SELECT is(wallet.drop_quarantined('90 days', 1), 1, 'the limit of one call holds');
SELECT is(wallet.drop_quarantined('90 days', 10), 1, 'the next call gives up the rest');
SELECT is(wallet.drop_quarantined('90 days', 10), 0, 'no message is left');
SELECT results_eq(
    $$ SELECT i.source_event_id, i.status, i.reason, i.payload -> 'statements' -> 0 -> 'fact' ->> 'transaction_id'
       FROM admin.webhook_inbox AS i ORDER BY 1 $$,
    $$ VALUES ('fails', 'ignored', 'given up: 23514', 't1'), ('raw', 'ignored', 'given up: unreadable', NULL),
        ('waits', 'awaiting_user', 'unknown-user', 't3'), ('young', 'failed', '23514', 't2') $$,
    'given-up messages have a reason, and waiting or retried ones stay'
);
SELECT unalike((pg_temp.row_of(i.id)).payload::text, '%ann%', 'the message names no user: ' || i.id)
FROM (VALUES ('raw'), ('fails')) AS i (id);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
