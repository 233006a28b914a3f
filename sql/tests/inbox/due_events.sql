-- wallet.due_events: due messages, leased for a minute.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
SELECT is_empty('SELECT * FROM wallet.due_events(10)', 'nothing is due');
SELECT pg_temp.receive('new', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}'));
SELECT pg_temp.receive('awaiting_user', pg_temp.sold('t1', '$RCAnonymousID:1'));
SELECT pg_temp.failing('40P01'), pg_temp.receive('failed', pg_temp.sold('t2', 'ann')), pg_temp.failing('');
SELECT pg_temp.receive('done', pg_temp.sold('t3', 'ann'));
SELECT pg_temp.receive('ignored', pg_temp.message('[]', NULL, '{"ignored": "test"}'));
SELECT wallet.quarantine_event('revenuecat', 'raw', 'x', '"?"', 'unreadable');
SELECT pg_temp.wait('61 seconds');
SELECT results_eq(
    'SELECT d.source, d.source_event_id, d.type, d.payload ? ''statements'' FROM wallet.due_events(10) AS d',
    $$ VALUES ('revenuecat', 'new', 'NON_RENEWING_PURCHASE', TRUE),
       ('revenuecat', 'awaiting_user', 'NON_RENEWING_PURCHASE', TRUE),
       ('revenuecat', 'failed', 'NON_RENEWING_PURCHASE', TRUE) $$,
    'new, waiting and failed messages are due; finished and unreadable ones are not'
);
SELECT is_empty('SELECT * FROM wallet.due_events(10)', 'the instance that got them has them alone');
SELECT pg_temp.wait('59 seconds');
SELECT is_empty('SELECT * FROM wallet.due_events(10)', 'the lease lasts a minute');
SELECT pg_temp.wait('1 second');
SELECT is(count(*)::integer, 2, 'after the lease another worker gets as many as it asks for') FROM wallet.due_events(2);
SELECT is(count(*)::integer, 1, 'a third worker gets the rest') FROM wallet.due_events(2);
SELECT is((pg_temp.row_of('failed')).attempts, 1, 'a lease is no attempt');
SELECT wallet.process_event((pg_temp.row_of('failed')).inbox_id, NULL);
SELECT pg_temp.wait('1 hour');
SELECT set_eq(
    'SELECT d.source_event_id FROM wallet.due_events(10) AS d', $$ VALUES ('new'), ('awaiting_user') $$,
    'processed messages are not due again'
);
SELECT * FROM finish();
ROLLBACK;
