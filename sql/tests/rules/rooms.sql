-- One subject has one name in every layer, one function one file, and what stands outside internal/ is what somebody
-- may call: the service, a trigger of an administrator's view, or a command that runs as the owner.
\set functions `find sql/functions -name '*.sql' -printf '%P '`
\set rooms `find sql/views sql/tests -mindepth 1 -maxdepth 1 -type d -printf '%P '`
BEGIN;
\ir ../support/books.sql
SELECT plan(5);

CREATE TEMPORARY TABLE files ON COMMIT DROP AS
SELECT split_part(f.path, '/', 1) AS room, f.path LIKE '%/internal/%' AS is_internal,
    regexp_replace(f.path, '^.*/|\.sql$', '', 'g') AS name
FROM regexp_split_to_table(rtrim(:'functions'), ' ') AS f (path);

CREATE TEMPORARY TABLE routines ON COMMIT DROP AS
SELECT DISTINCT p.proname::TEXT AS name,
    p.prorettype = 'trigger'::REGTYPE AND EXISTS (
        SELECT FROM pg_trigger AS t INNER JOIN pg_class AS c ON t.tgrelid = c.oid
        WHERE t.tgfoid = p.oid AND c.relnamespace = 'admin'::REGNAMESPACE
    ) OR has_function_privilege('wallet_service', p.oid, 'EXECUTE') AS may_be_called
FROM pg_proc AS p
WHERE p.pronamespace = 'wallet'::REGNAMESPACE
    AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e');

SELECT results_eq(
    'SELECT name FROM files GROUP BY name HAVING count(*) > 1', 'SELECT NULL::TEXT WHERE FALSE',
    'each function has one file'
);
SELECT set_eq(
    'SELECT name FROM files WHERE NOT is_internal',
    $$
        SELECT r.name FROM routines AS r INNER JOIN files AS f ON r.name = f.name WHERE r.may_be_called
        UNION ALL
        VALUES ('advance_clock'), ('mark_dev'), ('import_wallet'), ('set_cut_over')
    $$,
    'what stands outside internal/ is granted, a trigger of an administrator''s view, or a command of the owner'
);
SELECT set_has(
    'SELECT name FROM routines', 'SELECT name FROM files', 'each file of sql/functions makes the function of its name'
);
SELECT set_eq(
    'SELECT DISTINCT room FROM files',
    $$
        VALUES ('accounts'), ('bookings'), ('catalogue'), ('classes'), ('events'), ('import'), ('inbox'), ('instance'),
            ('ledger'), ('purchases'), ('subscriptions'), ('waitlist')
    $$,
    'the subjects are twelve'
);
SELECT set_eq(
    format(
        $$
            SELECT r.room FROM regexp_split_to_table(rtrim(%L), ' ') AS r (room)
            WHERE r.room NOT IN ('admin', 'invariants', 'isolation', 'rules', 'support')
        $$,
        :'rooms'
    ),
    'SELECT DISTINCT room FROM files',
    'views and tests stand in the same rooms'
);
SELECT * FROM finish();
ROLLBACK;
