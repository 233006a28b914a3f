-- wallet.apply_event: applies all facts of one message, and reports a user who is still unknown (rule 31).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.said(p_owner text, p_id text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object(
        'owners', to_jsonb(array_remove(ARRAY[p_owner], NULL)), 'fact', pg_temp.fact(p_id, 'starter', p_more)
    );
$$;
CREATE FUNCTION pg_temp.apply(VARIADIC p_statements jsonb[]) RETURNS text LANGUAGE sql AS $$
    SELECT wallet.apply_event(jsonb_build_object('statements', to_jsonb(p_statements)));
$$;
SELECT is(pg_temp.apply(pg_temp.said('ann', 't1'), pg_temp.said('bob', 't2')), NULL, 'two statements');
SELECT is(pg_temp.funds('ann') || ', ' || pg_temp.funds('bob'), '25 0 0 0, 25 0 0 0', 'both are applied');
SELECT is(pg_temp.apply(pg_temp.said('ann', 't1')), NULL, 'a repeated message');
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'changes nothing');
SELECT is(
    pg_temp.apply(pg_temp.said(NULL, 't3'), pg_temp.said('ann', 't4')), 'unknown-user',
    'a message with an unknown user must wait'
);
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'the applicable facts are applied');
SELECT isnt((pg_temp.claim('t3')).claim_id, NULL, 'the known facts are recorded');
SELECT is(
    pg_temp.apply(pg_temp.said('ann', 't5', '{"store_product_id": "no.such"}'),
        pg_temp.said('ann', 't6', '{"ownership": "family_shared"}'),
        pg_temp.said('ann', 't7', '{"pending": true}'), pg_temp.said('bob', 't1')), NULL,
    'no other reason makes a message wait'
);
SELECT is(wallet.apply_event('{}'), NULL, 'an empty message is accepted');
SELECT is(wallet.apply_event('{"statements": [], "transfer": null}'), NULL, 'a message with empty members is accepted');
INSERT INTO wallet.deleted_users (user_digest, deleted_at)
VALUES (wallet.user_digest('$RCAnonymousID:gone'), wallet.now());
SELECT is(
    pg_temp.apply(pg_temp.said('$RCAnonymousID:gone', 't8')), NULL, 'a message about a deleted user does not wait'
);
SELECT is(
    wallet.apply_event(jsonb_build_object('transfer', jsonb_build_object(
        'from', '["ann"]'::jsonb, 'to', '["bob"]'::jsonb, 'at', wallet.now()))), NULL, 'a transfer'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.subscription_transfers), 2, 'the transfer is stored for both environments'
);
SELECT is(
    wallet.apply_event(jsonb_build_object('transfer', jsonb_build_object(
        'from', '["ann"]'::jsonb, 'to', '["$RCAnonymousID:1"]'::jsonb, 'at', wallet.now()))), 'unknown-user',
    'a transfer to an unknown user must wait'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
