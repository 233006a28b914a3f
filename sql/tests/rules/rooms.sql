-- One subject has one name in every layer, one function has one file, and the files outside internal/ are the entry
-- points: for the service, for triggers of administrators' views, or for commands of the owner. No function is dead:
-- calls from the entry points, the schema and the Swift code reach every function.
\set functions `find sql/functions -name '*.sql' -printf '%P '`
\set rooms `find sql/views sql/tests -mindepth 1 -maxdepth 1 -type d -printf '%P '`
\set calls_of_swift `grep -rhoE 'wallet[.][a-z0-9_]+' Sources --include='*.swift' | sort -u | tr '\n' ' '`
BEGIN;
\ir ../support/books.sql
SELECT plan(6);

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
    'files outside internal/ are granted, triggers of administrators'' views, or commands of the owner'
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

-- An object other than a function that depends on a function keeps it alive: a view, a trigger, a CHECK, a default, an
-- index.
CREATE TEMPORARY TABLE calls ON COMMIT DROP AS
SELECT p.proname::TEXT AS caller, c.name[1] AS callee
FROM pg_proc AS p,
    regexp_replace(pg_get_functiondef(p.oid), '--[^\n]*', '', 'g') AS b (code),
    regexp_matches(b.code, 'wallet\.([a-z0-9_]+)', 'g') AS c (name)
WHERE p.pronamespace = 'wallet'::REGNAMESPACE AND p.prokind IN ('f', 'p')
UNION
SELECT NULL, p.proname
FROM pg_proc AS p INNER JOIN pg_depend AS d ON p.oid = d.refobjid AND d.refclassid = 'pg_proc'::REGCLASS
WHERE p.pronamespace = 'wallet'::REGNAMESPACE AND d.classid <> 'pg_proc'::REGCLASS
UNION
SELECT NULL, p.proname
FROM pg_proc AS p, aclexplode(p.proacl) AS a
WHERE p.pronamespace = 'wallet'::REGNAMESPACE AND a.grantee <> p.proowner
UNION
SELECT NULL, split_part(s.name, '.', 2) FROM regexp_split_to_table(rtrim(:'calls_of_swift'), ' ') AS s (name);

SELECT is_empty(
    $$
        WITH RECURSIVE called (name) AS (
            SELECT c.callee FROM calls AS c WHERE c.caller IS NULL
            UNION
            SELECT c.callee FROM called AS u INNER JOIN calls AS c ON u.name = c.caller
        )

        SELECT f.name FROM files AS f WHERE f.name NOT IN (SELECT u.name FROM called AS u)
    $$,
    'each function has a caller'
);
SELECT * FROM finish();
ROLLBACK;
