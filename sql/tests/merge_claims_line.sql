-- wallet.merge_claims: the first claim's line is already held under the original id that its duplicate knew.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.pack(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'starter', '{"original_transaction_id": null}' || p_more));
$$;
SELECT pg_temp.pack('ann', 'a1', '{"original_transaction_id": "A", "line_item_id": "a3"}'), pg_temp.wait('2 seconds');
SELECT pg_temp.pack('ann', 'a2', '{"line_item_id": "a3"}');
SELECT pg_temp.pack('ann', 'a4', '{"original_transaction_id": "A"}');
SELECT is(pg_temp.funds('ann'), '75 0 0 0', 'a line that lacks its original id is no identifier');
SELECT is(
    pg_temp.pack('ann', 'a2', '{"original_transaction_id": "A"}'), 'granted 25 credit duplicate',
    'once it has one, all three are one purchase'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'that grants once');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
