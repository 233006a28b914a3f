-- wallet.forget_in_inbox: after a deletion no waiting message names the user (issue 3.8).
BEGIN;
\ir support/books.sql
\ir support/messages.sql
SELECT * FROM no_plan();
SELECT set_config('t.token', wallet.app_account_token('ann')::text, TRUE);
SELECT pg_temp.receive('owned', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}') || jsonb_build_object(
    'statements', jsonb_build_array(jsonb_build_object(
        'owners', '["ann", "annabel"]'::jsonb,
        'fact', pg_temp.fact(
            't1', 'starter', jsonb_build_object('app_account_token', upper(current_setting('t.token')))
        )
    ))
));
SELECT pg_temp.receive('moved', pg_temp.message('[]', NULL, $${"question": {"kind": "product"}, "transfer": {
    "from": ["ann", "bob"], "to": ["ann"], "at": "2030-01-01T00:00:00Z"}}$$));
SELECT pg_temp.receive('other', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}, "statements": [{
    "owners": ["annabel"], "fact": {"app_account_token": "00000000-0000-4000-8000-000000000000"}}]}'));
SELECT wallet.park_raw('revenuecat', 'raw', 'x', '{"app_user_id": "ann"}', 'unreadable');
SELECT wallet.park_raw('revenuecat', 'nested', 'x', to_jsonb('{"app_user_id":"ann"}'::text), 'unreadable');
SELECT wallet.park_raw('revenuecat', 'raw other', 'x', '{"app_user_id": "annabel"}', 'unreadable');
SELECT is(wallet.forget_in_inbox('ann'), 4, 'every message that names the user');
SELECT is(
    (pg_temp.row_of('owned')).payload #> '{statements,0}', jsonb_build_object(
        'owners', '["annabel"]'::jsonb, 'fact', pg_temp.fact('t1', 'starter')
    ), 'loses the id and the token, and keeps the purchase'
);
SELECT is(
    (pg_temp.row_of('moved')).payload -> 'transfer', '{"from": ["bob"], "to": [], "at": "2030-01-01T00:00:00Z"}',
    'a transfer keeps the others'
);
SELECT is((pg_temp.row_of(i.id)).payload, '{"raw": null}', 'unreadable text goes whole: ' || i.id)
FROM (VALUES ('raw'), ('nested')) AS i (id);
SELECT is((pg_temp.row_of('raw other')).payload #>> '{raw,app_user_id}', 'annabel', 'others keep theirs');
SELECT is(
    (pg_temp.row_of('other')).payload #> '{statements,0}',
    '{"owners": ["annabel"], "fact": {"app_account_token": "00000000-0000-4000-8000-000000000000"}}', 'whole'
);
SELECT is_empty(
    format(
        $$ SELECT FROM admin.webhook_inbox AS i WHERE i.payload::text ~* '"ann\\?"|%s' $$, current_setting('t.token')
    ),
    'nothing names the user'
);
SELECT is(wallet.forget_in_inbox('ann'), 0, 'twice is once');
SELECT * FROM finish();
ROLLBACK;
