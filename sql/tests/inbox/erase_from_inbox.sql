-- wallet.erase_from_inbox and its helpers: a deletion removes the user's data, and no other data, from waiting messages
-- (rule 33).
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.quarantine(p_id text, p_raw jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answers(wallet.quarantine_event(
        CASE WHEN p_raw ? 'signedPayload' THEN 'app_store' ELSE 'revenuecat' END, p_id, 'x', p_raw, 'unreadable'
    ));
$$;
CREATE FUNCTION pg_temp.payload(p_id text) RETURNS jsonb LANGUAGE sql AS $$ SELECT (pg_temp.row_of(p_id)).payload; $$;
-- A message as Apple signs it, with a signed transaction inside.
CREATE FUNCTION pg_temp.signed(p_content jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT 'eyJ.' || rtrim(translate(encode(convert_to(p_content::text, 'UTF8'), 'base64'), E'+/\n', '-_'), '=') || '.c2ln';
$$;
SELECT set_config('t.token', wallet.app_account_token('ann')::text, TRUE);
SELECT pg_temp.receive('owned', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}') || jsonb_build_object(
    'statements', jsonb_build_array(jsonb_build_object(
        'owners', '["ann", "annabel"]'::jsonb,
        'fact', pg_temp.fact(
            't1', 'starter', jsonb_build_object('app_account_token', upper(current_setting('t.token')))
        )
    ), jsonb_build_object('owners', '["bob"]'::jsonb, 'fact', pg_temp.fact('t2', 'starter')))
));
SELECT pg_temp.receive('moved', pg_temp.message('[]', NULL, $${"question": {"kind": "product"}, "transfer": {
    "from": ["ann", "bob"], "to": ["bob", "ann"], "at": "2030-01-01T00:00:00Z"}}$$));
SELECT pg_temp.receive('left', pg_temp.message('[]', NULL, $${"question": {"kind": "product"}, "transfer": {
    "from": ["ann"], "to": ["bob"], "at": "2030-01-01T00:00:00Z"}}$$));
SELECT set_config('t.other', pg_temp.message(
    '[]', NULL, '{"question": {"kind": "ann", "purchase_token": "ann"}, "statements": [{
        "owners": ["annabel", "x-ann"], "fact": {"app_account_token": "00000000-0000-4000-8000-000000000000",
        "transaction_id": "ann", "store_product_id": "ann"}}]}'
)::text, TRUE);
SELECT pg_temp.receive('other', current_setting('t.other')::jsonb);
SELECT
    pg_temp.quarantine('raw', '{"event": {"aliases": ["bob", "ann"], "app_user_id": "ann", "id": "ann", "price": 1}}');
SELECT pg_temp.quarantine('signed', jsonb_build_object('signedPayload', pg_temp.signed(jsonb_build_object(
    'data', jsonb_build_object('signedTransactionInfo', pg_temp.signed(jsonb_build_object(
        'appAccountToken', upper(current_setting('t.token')), 'price', 1
    )))
))));
SELECT pg_temp.quarantine('signed other', jsonb_build_object('signedPayload', pg_temp.signed('{"a": "ann"}')));
SELECT
    pg_temp.quarantine('raw other', '{"event": {"app_user_id": "annabel", "environment": "ann", "id": "ann.ann.ann"}}');

-- The user ids in each message
SELECT results_eq(
    $$ SELECT i.source_event_id, ARRAY(SELECT n FROM unnest(i.names) AS n ORDER BY n COLLATE "C")
       FROM wallet.inbox AS i ORDER BY i.source_event_id COLLATE "C" $$,
    $$ VALUES ('left', '{ann,bob}'::text[]), ('moved', '{ann,bob}'),
        ('other', '{00000000-0000-4000-8000-000000000000,annabel,x-ann}'),
        ('owned', ARRAY(SELECT n FROM unnest(ARRAY['ann', 'annabel', 'bob', current_setting('t.token')]) AS n
            ORDER BY n COLLATE "C")),
        ('raw', '{ann,bob}'), ('raw other', '{annabel}'), ('signed', ARRAY[current_setting('t.token')]),
        ('signed other', '{}') $$, 'only the designated members of a message name users'
);

SELECT wallet.account_for('ann'), wallet.delete_account('ann');
SELECT is(
    pg_temp.payload('owned') -> 'statements', jsonb_build_array(jsonb_build_object(
        'owners', '["annabel"]'::jsonb, 'fact', pg_temp.fact('t1', 'starter'), 'forgotten', TRUE
    ), jsonb_build_object('owners', '["bob"]'::jsonb, 'fact', pg_temp.fact('t2', 'starter'))),
    'a statement loses the id and the token, and keeps the purchase; others keep all'
);
SELECT is(
    pg_temp.payload('moved') -> 'transfer',
    '{"from": ["bob"], "to": ["bob"], "at": "2030-01-01T00:00:00Z", "forgotten": true}', 'a transfer keeps the others'
);
SELECT is(
    pg_temp.payload('left') -> 'transfer', '{"from": [], "to": ["bob"], "at": "2030-01-01T00:00:00Z"}',
    'the message still waits for the other user'
);
SELECT is(
    pg_temp.payload('raw'), '{"raw": {"event": {"aliases": ["bob"], "id": "ann", "price": 1}}}',
    'an unreadable message loses only the user''s id'
);
SELECT is(pg_temp.payload('signed'), '{"raw": null}', 'a signed message loses its text');
SELECT is(pg_temp.payload('other'), current_setting('t.other')::jsonb, 'other members with the same value stay');
SELECT is(
    pg_temp.payload('raw other') #> '{raw,event}',
    '{"app_user_id": "annabel", "environment": "ann", "id": "ann.ann.ann"}', 'other values in unreadable messages stay'
);
SELECT isnt(pg_temp.payload('signed other'), '{"raw": null}', 'other signed messages stay');
SELECT is_empty(
    $$ SELECT FROM wallet.inbox AS i WHERE i.names && ARRAY['ann', wallet.app_account_token('ann')::text] $$,
    'no message names the user after the deletion'
);

-- One id may contain another, and an id may be any word
SELECT pg_temp.buy('auth0|1000000000012', 'b1', 'starter');
SELECT pg_temp.failing('40P01');
SELECT is(pg_temp.receive(
    'refund', pg_temp.message(jsonb_build_array(
        pg_temp.fact('b2', 'starter', '{"refunded_millionths": 1000000}'), pg_temp.fact('b1', 'starter')
    ), 'auth0|1000000000012')
), 'failed 40P01', 'a message of another user waits');
SELECT pg_temp.failing('');
SELECT set_config('t.refund', pg_temp.payload('refund')::text, TRUE);
SELECT wallet.delete_account(u) FROM unnest(ARRAY['auth0|100000000001', 'production', 'starter', 'webhook']) AS u;
SELECT is(
    pg_temp.payload('refund'), current_setting('t.refund')::jsonb, 'deletions of other users do not change the message'
);
SELECT matches(pg_temp.stored('refund'), '^failed 40P01 1 in [45]$', 'the due time of the message is unchanged');

-- A refund outlives its user: the purchase is found by its transaction
SELECT pg_temp.buy('cid', 'c1', 'starter'), pg_temp.failing('40P01');
SELECT pg_temp.receive('cid', pg_temp.message(jsonb_build_array(
    pg_temp.fact('c0', 'starter'), pg_temp.fact('c1', 'starter', '{"refunded_millionths": 1000000}')
), 'cid'));
SELECT pg_temp.failing(''), wallet.delete_account('cid');
SELECT is(pg_temp.stored('cid'), 'failed 40P01 1 in 0', 'a message about a deleted user is due');
SELECT is(
    pg_temp.answers(wallet.process_event((pg_temp.row_of('cid')).inbox_id, NULL)), 'processed',
    'the message is applied and does not wait'
);
SELECT results_eq(
    $$ SELECT c.refunded_millionths::integer, l.refunded FROM wallet.claims AS c
       LEFT JOIN wallet.lots AS l ON c.claim_id = l.claim_id WHERE c.transaction_id = 'c1' $$,
    $$ VALUES (1000000, 25::bigint) $$, 'the released purchase is refunded'
);
SELECT pg_temp.receive('waits', pg_temp.message(jsonb_build_array(
    pg_temp.fact('d1', 'starter', jsonb_build_object('app_account_token', wallet.app_account_token('dan')))
)));
SELECT pg_temp.receive('moves', pg_temp.message('[]', NULL, jsonb_build_object('transfer', jsonb_build_object(
    'from', '["bob"]'::jsonb, 'to', '["$RCAnonymousID:dan"]'::jsonb, 'at', '2030-01-01T00:00:00Z'
))));
SELECT wallet.delete_account('dan'), wallet.delete_account('$RCAnonymousID:dan');
SELECT is(
    pg_temp.answers(wallet.process_event((pg_temp.row_of(m.id)).inbox_id, NULL)), 'processed',
    'a message does not wait for a deleted user: ' || m.id
) FROM (VALUES ('waits'), ('moves')) AS m (id);

-- A deleted user who returned is a new user
SELECT wallet.delete_account('eve'), pg_temp.wait('1 minute'), wallet.account_for('eve'), pg_temp.failing('40P01');
SELECT pg_temp.receive('back', pg_temp.sold('e1', 'eve', '{}'));
SELECT pg_temp.failing('');
SELECT is(
    pg_temp.payload('back') #> '{statements,0,owners}', '["eve"]', 'a failed message keeps a user who returned'
);
SELECT wallet.process_event((pg_temp.row_of('back')).inbox_id, NULL);
SELECT is(pg_temp.funds('eve'), '25 0 0 0', 'the returned user gets the grant');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
