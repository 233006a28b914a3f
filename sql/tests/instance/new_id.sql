-- wallet.new_id: time-ordered UUIDs.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT matches(
    wallet.new_id()::text, '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    'version 7, variant 10'
);
CREATE TEMPORARY TABLE created AS SELECT n.n AS place, wallet.new_id() AS id FROM generate_series(1, 1000) AS n (n);
SELECT is((SELECT count(DISTINCT c.id) FROM created AS c), 1000::bigint, 'a thousand differ');
SELECT results_eq(
    'SELECT c.id FROM created AS c ORDER BY c.id', 'SELECT c.id FROM created AS c ORDER BY c.place',
    'they sort in the order of their creation, even within a millisecond'
);
SELECT floor(extract(EPOCH FROM clock_timestamp()) * 1000) AS began \gset
SELECT ok(
    ('x' || lpad(left(replace(n.id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint
    BETWEEN :began AND floor(extract(EPOCH FROM clock_timestamp()) * 1000),
    'an id starts with the milliseconds'
) FROM wallet.new_id() AS n (id);
SELECT * FROM finish();
ROLLBACK;
