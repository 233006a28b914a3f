-- wallet.sweep_subscriptions: reports changes caused by the clock, once, in batches (rules 28, 34).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.report(u, u, 'plan.explorer', pg_temp.days(0, 30, jsonb_build_object('original_transaction_id', u)))
FROM unnest(ARRAY['ann', 'bob', 'cid']) AS u;
SELECT pg_temp.report('dan', 'dan', 'plan.explorer', pg_temp.days(0, 40, '{"original_transaction_id": "dan"}'));
SELECT pg_temp.new_events();
SELECT is(wallet.sweep_subscriptions(100), 0, 'no subscription is due');
SELECT set_config('t.now', pg_temp.noon(30)::text, TRUE);
SELECT is(wallet.sweep_subscriptions(2), 2, 'the limit of one call holds');
SELECT is(pg_temp.new_events(), 'expired expired', 'have an event');
SELECT is(wallet.sweep_subscriptions(2), 1, 'the next call processes the rest');
SELECT is(pg_temp.new_events(), 'expired', 'each subscription sends one event');
SELECT is(wallet.sweep_subscriptions(2), 0, 'no further change is reported');
SELECT is(
    (SELECT s.next_change_at FROM wallet.subscriptions AS s WHERE s.original_transaction_id = 'dan'),
    pg_temp.noon(40), 'a later end is looked at then'
);
UPDATE wallet.subscriptions SET released_at = wallet.now() WHERE original_transaction_id = 'dan';
SELECT set_config('t.now', pg_temp.noon(40)::text, TRUE);
SELECT is(wallet.sweep_subscriptions(2), 1, 'a released one is looked at');
SELECT is(wallet.sweep_subscriptions(2), 0, 'the subscription is not due again');
SELECT is(pg_temp.new_events(), NULL, 'no event is sent');
SELECT pg_temp.report('eve', 'eve', 'plan.explorer', pg_temp.days(40, 70, jsonb_build_object(
    'original_transaction_id', 'eve', 'billing_issue', TRUE, 'grace_ends_at', pg_temp.noon(76))));
SELECT pg_temp.new_events();
SELECT pg_temp.day(80);
SELECT is(pg_temp.new_events(), 'billing_failed', 'a late sweeper reports the current state, not the missed ones');
SELECT pg_temp.sound('subscriptions');
SELECT * FROM finish();
ROLLBACK;
