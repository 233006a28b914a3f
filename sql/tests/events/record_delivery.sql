-- wallet.record_delivery: the schedule of delivery attempts, and its end.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 1), pg_temp.committed(), wallet.enqueue_deliveries(10);
CREATE FUNCTION pg_temp.record(p_error text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM wallet.record_delivery(pg_temp.event_of('credits.granted'), p_error);
    RETURN pg_temp.delivery(pg_temp.event_of('credits.granted'));
END;
$$;
SELECT is(
    pg_temp.record('status 500'), format('pending %s status 500 in %s', t.attempt, t.seconds), 'attempt ' || t.attempt
)
FROM (VALUES
    (1, 5), (2, 300), (3, 1800), (4, 7200), (5, 18000), (6, 36000), (7, 50400), (8, 72000), (9, 86400)
) AS t (attempt, seconds);
SELECT is(pg_temp.record('timeout'), 'dead 10 timeout', 'the tenth failure is the last');
SELECT is(pg_temp.record('status 500'), 'dead 10 timeout', 'dead is dead');
SELECT pg_temp.wait('100 days');
SELECT is_empty('SELECT * FROM wallet.due_deliveries(10)', 'a delivered event is not sent again');
SELECT is(pg_temp.record(), 'delivered 11', 'unless a slow attempt arrived after all');
SELECT is((SELECT d.delivered_at FROM wallet.deliveries AS d), wallet.now(), 'since now');
SELECT is(pg_temp.record('timeout'), 'delivered 11', 'a delivered event cannot fail');
SELECT pg_temp.wait('1 day');
SELECT is(pg_temp.record(), 'delivered 11', 'a delivered event is not delivered again');
SELECT pg_temp.gift('ann', 1), pg_temp.committed(), wallet.enqueue_deliveries(10);
SELECT is(pg_temp.record(repeat('x', 600)), 'pending 1 ' || repeat('x', 500) || ' in 5', 'an error is short');
SELECT is(pg_temp.raised('SELECT wallet.record_delivery(-1, NULL)'), 'nothing', 'an unknown event is ignored');
SELECT * FROM finish();
ROLLBACK;
