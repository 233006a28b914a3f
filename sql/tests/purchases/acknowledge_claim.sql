-- wallet.acknowledge_claim: the purchases that still need an acknowledgement to the store.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01T00:00Z')
ON CONFLICT (store) DO NOTHING;
CREATE FUNCTION pg_temp.waiting() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(u.purchase_token, ' ' ORDER BY u.purchase_token) FROM wallet.unacknowledged AS u;
$$;
SELECT pg_temp.buy(b.who, b.id, 'starter', '{"store": "play_store"}' || b.more) FROM (VALUES
    ('ann', 'GPA.1', '{"purchase_token": "one", "needs_acknowledgement": true}'::jsonb),
    ('ann', 'GPA.2', '{"purchase_token": "two", "needs_acknowledgement": true}'),
    ('ann', 'GPA.3', '{"purchase_token": "three", "needs_acknowledgement": false}'),
    ('ann', 'GPA.4', '{"purchase_token": "four"}'),
    ('ann', 'GPA.5', '{"purchase_token": "five", "needs_acknowledgement": true, "pending": true}'),
    (NULL, 'GPA.6', '{"purchase_token": "six", "needs_acknowledgement": true}')
) AS b (who, id, more);
SELECT is(pg_temp.waiting(), 'one two', 'granted purchases that the store expects to be acknowledged');
SELECT pg_temp.buy('ann', 'GPA.1', 'starter', '{"store": "play_store"}');
SELECT is(pg_temp.waiting(), 'one two', 'a fact without an acknowledgement changes nothing');
SELECT wallet.acknowledge_claim((pg_temp.claim('GPA.1')).claim_id);
SELECT is(pg_temp.waiting(), 'two', 'an acknowledged purchase is not listed');
SELECT pg_temp.buy('ann', 'GPA.5', 'starter', '{"store": "play_store"}');
SELECT is(pg_temp.waiting(), 'five two', 'a paid one then waits');
SELECT pg_temp.buy('ann', 'GPA.2', 'starter', '{"store": "play_store", "needs_acknowledgement": false}');
SELECT is(pg_temp.waiting(), 'five', 'the store may say so itself');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
