-- wallet.record_access: records the operators' reads, exports and refused requests.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 5), pg_temp.gift('bob', 5);
CREATE FUNCTION pg_temp.rows() RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(
        concat_ws(' ', a.actor, a.action, a.kind, a.object_id, a.user_id, a.environment, a.after) ORDER BY a.audit_id
    )
    FROM admin.audit AS a WHERE a.action IN ('read-user', 'export', 'refused');
$$;
SET LOCAL ROLE wallet_service;
SELECT wallet.record_access('op', c.action, c.route, c.who, c.environment::wallet.environment, c.details::jsonb)
FROM (VALUES
    ('read-user', 'balance', 'ann', 'production', '{}'), ('read-user', 'transactions', 'ann', 'production', '{}'),
    ('read-user', 'balance', 'ann', 'sandbox', '{}'), ('read-user', 'balance', 'bob', 'production', '{}'),
    ('export', 'audit', NULL, NULL, '{"filters": ["action"]}'), ('export', 'audit', 'ann', NULL, '{}'),
    ('refused', 'adjustments', NULL, NULL, '{"problem": "right-missing"}'),
    ('refused', 'adjustments', NULL, NULL, '{"problem": "right-missing"}')
) AS c (action, route, who, environment, details);
SELECT wallet.record_access('two', 'read-user', 'balance', 'ann', 'production', '{}');
RESET ROLE;
SELECT is(pg_temp.rows(), ARRAY[
    'op read-user user ann production {}', 'op read-user user ann sandbox {}', 'op read-user user bob production {}',
    'op export list audit {"filters": ["action"]}', 'op export list audit ann {}',
    'op refused call adjustments {"problem": "right-missing"}',
    'op refused call adjustments {"problem": "right-missing"}',
    'two read-user user ann production {}'
], 'each access has a row, and reads of one user within a minute share one');
SELECT pg_temp.wait('61 seconds');
SELECT wallet.record_access('op', 'read-user', 'balance', 'ann', 'production', '{}');
SELECT is(cardinality(pg_temp.rows()), 9, 'a later read is another row');
SELECT is(
    pg_temp.raised($$SELECT wallet.record_access('op', 'adjust', 'x', NULL, NULL, '{}')$$, 'wallet_service'),
    'WL400 malformed-request', 'an unknown action is refused'
);
SELECT is_empty(
    $$SELECT FROM wallet.timeline AS t WHERE t.kind IN ('read-user', 'export', 'refused')$$,
    'reads of a user''s data are not in the user''s timeline'
);
SELECT wallet.delete_account('ann');
SELECT is((SELECT count(*) FROM admin.audit AS a WHERE a.action = 'read-user' AND a.actor = 'two'), 0::bigint,
    'records of reads are erased with the user');
SELECT * FROM finish();
ROLLBACK;
