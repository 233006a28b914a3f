-- wallet.end_replaced: an upgrade on Google Play is a new subscription and ends the old one, in either order of the
-- reports.
BEGIN;
\ir ../support/books.sql
SELECT plan(4);

INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01T00:00Z');
CREATE FUNCTION pg_temp.period(p_id text, p_product text, p_from text, p_to text, p_more jsonb DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy('ann', p_id, p_product, jsonb_build_object(
        'store', 'play_store', 'order_id', p_id, 'purchased_at', p_from, 'expires_at', p_to
    ) || p_more));
$$;
CREATE FUNCTION pg_temp.ends(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT to_char(s.period_end, 'MM-DD') FROM wallet.subscription_states AS s
    WHERE s.original_transaction_id = p_id;
$$;

SELECT pg_temp.period('G', 'plan.explorer', '2029-12-20T10:00Z', '2030-01-20T10:00Z', '{"purchase_token": "old"}');
SELECT is(pg_temp.ends('G'), '01-20', 'a period ends at its end');
SELECT pg_temp.period('H', 'plan.enthusiast', '2029-12-30T10:00Z', '2030-01-30T10:00Z',
    '{"purchase_token": "new", "linked_purchase_token": "old"}');
SELECT is(pg_temp.ends('G'), '12-30', 'unless another subscription replaced it, though it is reported later');
SELECT is(pg_temp.ends('H'), '01-30', 'the new subscription continues');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
