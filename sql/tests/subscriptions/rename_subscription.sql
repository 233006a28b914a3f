-- wallet.rename_subscription: a subscription that was known only by one period's own id.
BEGIN;
\ir ../support/books.sql
SELECT plan(6);
CREATE FUNCTION pg_temp.chains() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(s.original_transaction_id || ' ' || s.status || ' ' || s.period_end::date, ', '
        ORDER BY s.original_transaction_id)
    FROM wallet.subscription_states AS s;
$$;
SELECT pg_temp.buy('ann', 'p2', 'plan.explorer', '{"original_transaction_id": null}');
SELECT is(pg_temp.chains(), 'p2 active 2030-01-31', 'a period goes by its own id while no other is known');
SELECT pg_temp.buy('ann', 'p2', 'plan.explorer', '{"original_transaction_id": "p1"}');
SELECT is(pg_temp.chains(), 'p1 active 2030-01-31', 'afterwards the first transaction''s id identifies it');
SELECT is(pg_temp.funds('ann'), '0 4 0 0', 'granted once');
SELECT pg_temp.wait('30 days');
SELECT pg_temp.buy('ann', 'p3', 'plan.explorer', '{"original_transaction_id": null}');
SELECT is(pg_temp.chains(), 'p1 expired 2030-01-31, p3 active 2030-03-02', 'a renewal that names no other');
SELECT pg_temp.buy('ann', 'p3', 'plan.explorer', '{"original_transaction_id": "p1"}');
SELECT is(pg_temp.chains(), 'p1 active 2030-03-02', 'joins its subscription');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
