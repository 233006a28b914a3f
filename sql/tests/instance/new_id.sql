-- wallet.new_id: time-ordered UUIDs.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT matches(
    wallet.new_id()::text, '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    'version 7, variant 10'
);
SELECT is((SELECT count(DISTINCT wallet.new_id())::integer FROM generate_series(1, 1000)), 1000, 'a thousand differ');
SELECT set_config('t.id', wallet.new_id()::text, TRUE), pg_sleep(0.002);
SELECT ok(wallet.new_id() > current_setting('t.id')::uuid, 'a later one is greater');
SELECT ok(
    abs(('x' || lpad(left(replace(wallet.new_id()::text, '-', ''), 12), 16, '0'))::bit(64)::bigint
        - extract(EPOCH FROM clock_timestamp()) * 1000) < 1000, 'an id starts with the milliseconds'
);
SELECT * FROM finish();
ROLLBACK;
