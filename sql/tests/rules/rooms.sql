-- The layout of sql/functions (CONTRIBUTING.md): one subject has one name in every layer, a file holds one public
-- function or one mechanism with its helpers, and a subject calls only the subjects above it in the list below. No
-- function is dead: calls from the entry points and the schema reach every function. Calls in trigger definitions, in
-- views and in dynamic SQL have no direction.
\set definitions `grep -rnoE '^CREATE (OR REPLACE )?FUNCTION wallet[.][a-z0-9_]+' sql/functions | tr '\n' ' '`
\set rooms `find sql/views sql/tests -mindepth 1 -maxdepth 1 -type d -printf '%P '`
\set calls_of_swift `grep -rhoE '(SELECT|FROM|JOIN) wallet[.][a-z0-9_]+' Sources | sort -u | tr '\n' ' '`
BEGIN;
\ir ../support/books.sql
SELECT plan(11);

-- The subjects, bottom up.
CREATE TEMPORARY TABLE subjects ON COMMIT DROP AS
SELECT s.name, s.place FROM unnest(ARRAY[
    'instance',
    'events',
    'accounts',
    'catalogue',
    'ledger',
    'subscriptions',
    'purchases',
    'classes',
    'waitlist',
    'bookings',
    'lifecycle', 'inbox', 'import', 'operations'
]) WITH ORDINALITY AS s (name, place);

-- The functions with their files, as sql/functions defines them.
CREATE TEMPORARY TABLE definitions ON COMMIT DROP AS
SELECT d.found[3] AS name, d.found[1] AS path, d.found[2]::INTEGER AS line, split_part(d.found[1], '/', 3) AS subject
FROM regexp_matches(
    :'definitions', '(sql/functions/[^: ]+):([0-9]+):CREATE (?:OR REPLACE )?FUNCTION wallet[.]([a-z0-9_]+)', 'g'
) AS d (found);

-- Administrators change rows of views whose triggers call functions. Commands of the owner and of `dev` call the listed
-- functions.
CREATE TEMPORARY TABLE entry_points ON COMMIT DROP AS
SELECT p.proname::TEXT AS name
FROM pg_proc AS p
WHERE
    p.pronamespace = 'wallet'::REGNAMESPACE
    AND (
        EXISTS (
            SELECT FROM pg_trigger AS t INNER JOIN pg_class AS c ON t.tgrelid = c.oid
            WHERE t.tgfoid = p.oid AND c.relnamespace = 'admin'::REGNAMESPACE
        )
        OR has_function_privilege('wallet_service', p.oid, 'EXECUTE')
        OR p.proname IN (
            'advance_clock', 'mark_dev', 'import_wallet', 'import_profile', 'set_cut_over', 'adjust', 'add_class'
        )
    )
    AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e');

-- The calls between functions. A caller is null for a view, a trigger, a CHECK, a default or an index.
CREATE TEMPORARY TABLE calls ON COMMIT DROP AS
SELECT DISTINCT p.proname::TEXT AS caller, c.name[1] AS callee
FROM pg_proc AS p,
    regexp_replace(pg_get_functiondef(p.oid), '--[^\n]*', '', 'g') AS b (code),
    regexp_matches(substr(b.code, strpos(b.code, 'AS $')), 'wallet\.([a-z0-9_]+)\s*\(', 'g') AS c (name)
WHERE
    p.pronamespace = 'wallet'::REGNAMESPACE AND p.prokind IN ('f', 'p')
    AND c.name[1] IN (SELECT d.name FROM definitions AS d)
UNION
SELECT NULL, p.proname
FROM pg_proc AS p INNER JOIN pg_depend AS d ON p.oid = d.refobjid AND d.refclassid = 'pg_proc'::REGCLASS
WHERE p.pronamespace = 'wallet'::REGNAMESPACE AND d.classid <> 'pg_proc'::REGCLASS;

SELECT cmp_ok((SELECT count(*)::INTEGER FROM definitions), '>', 100, 'there are functions to check');
SELECT
    cmp_ok((SELECT count(*)::INTEGER FROM calls AS c WHERE c.caller <> c.callee), '>', 200, 'and calls between them');
SELECT is_empty(
    'SELECT d.name FROM definitions AS d GROUP BY d.name HAVING count(*) > 1', 'each function is defined once'
);
SELECT set_eq(
    $$
        SELECT p.proname::TEXT FROM pg_proc AS p
        WHERE p.pronamespace = 'wallet'::REGNAMESPACE
            AND p.proname NOT IN (
                'are_bundle_items', 'is_plain_text', 'grams', 'check_claim', 'refuse_ledger_change', 'refuse_lot_terms'
            )
            AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
    $$,
    'SELECT d.name FROM definitions AS d',
    'the other functions than those of constraints and protected tables are defined in sql/functions'
);
SELECT is_empty(
    $$
        SELECT d.path FROM definitions AS d
        WHERE
            d.path !~ '^sql/functions/[a-z_]+/[a-z_0-9]+[.]sql$'
            OR d.subject NOT IN (SELECT s.name FROM subjects AS s)
    $$,
    'each file is in the folder of a subject'
);
SELECT set_eq(
    format(
        $$
            SELECT r.name FROM regexp_split_to_table(rtrim(%L), ' ') AS r (name)
            WHERE r.name NOT IN ('admin', 'invariants', 'isolation', 'rules', 'support')
        $$,
        :'rooms'
    ),
    'SELECT DISTINCT s.name FROM subjects AS s',
    'views and tests are in the folders of the same subjects'
);
SELECT is_empty(
    $$
        SELECT d.path, d.name FROM definitions AS d
        WHERE d.path LIKE '%/' || d.name || '.sql'
            AND EXISTS (SELECT FROM definitions AS o WHERE o.path = d.path AND o.line < d.line)
    $$,
    'the function that gives a file its name comes first in it'
);
SELECT is_empty(
    format(
        $$
            SELECT s.name[1] FROM regexp_matches(%L, 'wallet[.]([a-z0-9_]+)', 'g') AS s (name)
            WHERE s.name[1] IN (SELECT d.name FROM definitions AS d)
                AND s.name[1] NOT IN (SELECT e.name FROM entry_points AS e)
        $$,
        :'calls_of_swift'
    ),
    'Swift calls only granted functions and those of the owner''s commands'
);
SELECT is_empty(
    $$
        WITH RECURSIVE called (name) AS (
            (
                SELECT e.name FROM entry_points AS e
                UNION
                SELECT c.callee FROM calls AS c WHERE c.caller IS NULL
            )
            UNION
            SELECT c.callee FROM called AS u INNER JOIN calls AS c ON u.name = c.caller
        )

        SELECT d.name FROM definitions AS d WHERE d.name NOT IN (SELECT u.name FROM called AS u)
    $$,
    'each function has a caller'
);
SELECT is_empty(
    $$
        SELECT a.subject AS subject, a.name AS function, b.subject AS called_subject, b.name AS called_function
        FROM calls AS c
        INNER JOIN definitions AS a ON c.caller = a.name
        INNER JOIN definitions AS b ON c.callee = b.name
        INNER JOIN subjects AS s ON a.subject = s.name
        INNER JOIN subjects AS t ON b.subject = t.name
        WHERE t.place > s.place
        ORDER BY t.place - s.place, a.name, b.name
    $$,
    'a subject calls only the subjects above it in the list'
);
SELECT is_empty(
    $$
        WITH RECURSIVE reached (caller, callee) AS (
            SELECT c.caller, c.callee FROM calls AS c WHERE c.caller IS NOT NULL
            UNION
            SELECT r.caller, c.callee FROM reached AS r INNER JOIN calls AS c ON r.callee = c.caller
        )

        SELECT r.caller FROM reached AS r WHERE r.caller = r.callee
    $$,
    'no function calls itself, directly or through others'
);
SELECT * FROM finish();
ROLLBACK;
