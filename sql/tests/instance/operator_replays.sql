-- wallet.operator_replays: an operator's key answers one request (contract: Operators).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.replays(p_actor text, p_key text, p_operation text,
    p_request jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'DO $do$ BEGIN IF wallet.operator_replays(%L, %L, %L, %L) THEN
             RAISE EXCEPTION USING ERRCODE = ''WL200'', MESSAGE = ''replay''; END IF; END $do$',
        p_actor, p_key, p_operation, p_request
    ));
$$;
SELECT is(pg_temp.replays(i.actor, i.key, i.operation, i.request::jsonb), i.says, i.what) FROM (VALUES
    ('op', 'k', 'put', '{"a": 1, "b": 2}', 'nothing', 'a new key'),
    ('op', 'k', 'put', '{"b": 2, "a": 1}', 'WL200 replay', 'the same request, its members in another order'),
    ('op', 'k', 'put', '{"a": 1}', 'WL422 idempotency-key-reused', 'another request'),
    ('op', 'k', 'adjust', '{"a": 1, "b": 2}', 'WL422 idempotency-key-reused', 'another operation'),
    ('other', 'k', 'put', '{"a": 1}', 'nothing', 'another operator''s key'),
    ('op', NULL, 'put', '{"a": 1}', 'nothing', 'no key is always new'),
    ('op', NULL, 'put', '{"a": 1}', 'nothing', 'again')
) AS i (actor, key, operation, request, says, what);
SELECT isnt(r.xmax::text, '0', 'a replay locks the key, so that its commit waits for a standby like the first one''s')
FROM wallet.operator_requests AS r
WHERE r.actor_digest = sha256('op');
SELECT is_empty(
    $$ SELECT FROM wallet.operator_requests AS r WHERE r.actor_digest = convert_to('op', 'UTF8') $$,
    'the actor is kept as a digest'
);
SELECT * FROM finish();
ROLLBACK;
