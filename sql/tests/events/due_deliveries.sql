-- wallet.due_deliveries: due deliveries to the endpoint, leased for a minute.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
SELECT is_empty('SELECT * FROM wallet.due_deliveries(10)', 'nothing is due');
SELECT pg_temp.gift('ann', 1), pg_temp.buy('bob', 't', 'starter'), pg_temp.gift('ann', 2);
SELECT pg_temp.committed(), wallet.enqueue_deliveries(10);
SELECT results_eq(
    $$ SELECT
           d.webhook_id = 'evt_' || d.event_id, d.body::jsonb #>> '{data,amount}', d.body::jsonb ->> 'type',
           d.attempts
       FROM wallet.due_deliveries(10) AS d $$,
    $$ VALUES (TRUE, '1', 'credits.granted', 0), (TRUE, '25', 'credits.granted', 0),
       (TRUE, '2', 'credits.granted', 0) $$,
    'each delivery has its id and body'
);
SELECT is_empty('SELECT * FROM wallet.due_deliveries(10)', 'the instance that got them has them alone');
SELECT pg_temp.wait('59 seconds');
SELECT is_empty('SELECT * FROM wallet.due_deliveries(10)', 'the lease lasts a minute');
SELECT pg_temp.wait('1 second');
SELECT is(count(*)::integer, 2,
    'after the lease another worker gets as many as it asks for') FROM wallet.due_deliveries(2);
SELECT is(count(*)::integer, 1, 'a third worker gets the rest') FROM wallet.due_deliveries(2);
SELECT wallet.record_delivery(
    d.event_id, CASE WHEN d.event_id = pg_temp.event_of('credits.granted') THEN 'status 500' END
)
FROM wallet.deliveries AS d;
SELECT is_empty(
    'SELECT * FROM wallet.due_deliveries(10)', 'delivered events are not due, and failed ones are not due yet'
);
SELECT pg_temp.wait('5 seconds');
SELECT results_eq(
    'SELECT d.event_id, d.attempts FROM wallet.due_deliveries(10) AS d',
    $$ VALUES (pg_temp.event_of('credits.granted'), 1) $$, 'a failed event is sent again with the same id'
);
SELECT * FROM finish();
ROLLBACK;
