-- wallet.merge_claims: a line item is one purchase, regardless of its original id.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.pack(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'starter', '{"original_transaction_id": null}' || p_more));
$$;
SELECT pg_temp.pack('ann', 'a1', '{"original_transaction_id": "A", "line_item_id": "a3"}'), pg_temp.wait('2 seconds');
SELECT pg_temp.pack('ann', 'a2', '{"line_item_id": "a3"}');
SELECT pg_temp.pack('ann', 'a4', '{"original_transaction_id": "A"}');
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'a line item without an original id is identified by itself');
SELECT is(
    pg_temp.pack('ann', 'a2', '{"original_transaction_id": "A"}'), 'granted 25 credit duplicate',
    'once the original id is known, all three are one purchase'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the line item grants once');

-- The same line item id in the sandbox, or in another store, is a different purchase
SELECT wallet.enable_store('play_store', '2020-01-01');
SELECT pg_temp.pack(s.other, s.other || '1', jsonb_build_object(
    'original_transaction_id', s.id, 'line_item_id', s.id || '3'
) || s.more::jsonb) FROM (VALUES
    ('bob', 'B', '{"environment": "sandbox"}'), ('cid', 'C', '{"store": "play_store", "order_id": "c9"}')
) AS s (other, id, more);
SELECT pg_temp.wait('2 seconds');
SELECT pg_temp.pack(s.owner, s.owner || '2', jsonb_build_object('line_item_id', s.id || '3')),
    pg_temp.pack(s.owner, s.owner || '4', jsonb_build_object('original_transaction_id', s.id)),
    pg_temp.pack(s.owner, s.owner || '2', jsonb_build_object('original_transaction_id', s.id))
FROM (VALUES ('bea', 'B'), ('cam', 'C')) AS s (owner, id);
SELECT is(pg_temp.funds('bea') || ', ' || pg_temp.funds('cam'), '25 0 0 0, 25 0 0 0', 'two that were one');
SELECT pg_temp.wait('2 seconds');
SELECT is(
    pg_temp.pack(s.owner, s.owner || '5', jsonb_build_object(
        'original_transaction_id', s.id, 'line_item_id', s.id || '3'
    )), 'granted 25 credit duplicate', 'the line item is found by its original id'
) FROM (VALUES ('bea', 'B'), ('cam', 'C')) AS s (owner, id);
SELECT is(
    pg_temp.funds('bea') || ', ' || pg_temp.funds('cam'), '25 0 0 0, 25 0 0 0',
    'each purchase grants once, in any order'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
