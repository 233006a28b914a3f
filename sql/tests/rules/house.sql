-- The house rules for SQL, checked for everything in the schemas (house.md).
BEGIN;
\ir ../support/books.sql
\ir ../support/unpinned.sql
SELECT * FROM no_plan();
CREATE TEMPORARY VIEW ours AS
SELECT p.oid, p.oid::regprocedure::text AS name, p.proname, p.prosecdef, p.proconfig, p.prolang, p.proargnames,
    p.proargmodes,
    p.prosrc,
    p.provolatile, p.proowner
FROM pg_catalog.pg_proc AS p
WHERE
    p.pronamespace = 'wallet'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e');
SELECT cmp_ok((SELECT count(*)::integer FROM ours), '>', 50, 'there are functions to check');
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o
       WHERE o.proconfig[1] IS DISTINCT FROM 'search_path=wallet, pg_temp'
           AND o.proname NOT IN (SELECT u.name FROM unpinned AS u) $$,
    'every function pins its search_path with pg_temp last, except the functions in support/unpinned.sql'
);
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o WHERE obj_description(o.oid, 'pg_proc') IS NULL $$, 'every function has a COMMENT'
);
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o WHERE o.proowner <> 'wallet_owner'::regrole $$, 'every function is wallet_owner''s'
);
SELECT is_empty(
    $$ SELECT o.proname FROM ours AS o GROUP BY o.proname HAVING count(*) > 1 $$,
    'HobbyApp 3: no function is overloaded'
);
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o WHERE EXISTS (
           SELECT FROM unnest(o.proargnames, o.proargmodes) AS a (name, mode)
           -- The modes t and o are the columns of a result.
           WHERE a.name IS NOT NULL AND (a.mode IN ('t', 'o')) IS NOT TRUE AND a.name NOT LIKE 'p\_%') $$,
    'every parameter begins with p_'
);
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o WHERE o.prosrc ~* 'EXCEPTION\s+WHEN\s+OTHERS' $$,
    'HobbyApp 4: no function catches unknown errors'
);
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o INNER JOIN pg_catalog.pg_language AS l ON o.prolang = l.oid
       WHERE l.lanname NOT IN ('sql', 'plpgsql') $$, 'functions are SQL or PL/pgSQL'
);
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o WHERE o.prosrc ~* '\mexecute\M\s+(format|''|v_)'
       AND o.proname NOT IN ('make_partition', 'drop_partition') $$,
    'only the functions for partitions build statements dynamically'
);
SELECT is_empty(
    $$ SELECT o.name FROM ours AS o WHERE o.provolatile <> 'v'
       AND o.prosrc ~* '\m(insert\s+into|delete\s+from|update\s+wallet\.|for\s+update|for\s+share)\M' $$,
    'functions that write or lock are volatile'
);
SELECT is_empty(
    $$ SELECT c.oid::regclass FROM pg_catalog.pg_class AS c
       WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND c.relkind = 'v'
           AND obj_description(c.oid, 'pg_class') IS NULL $$,
    'every view has a COMMENT'
);
SELECT is_empty(
    $$ SELECT c.conrelid::regclass, c.conname FROM pg_catalog.pg_constraint AS c
       WHERE c.connamespace = 'wallet'::regnamespace AND c.contype = 'c'
           AND c.conname ~ '_check[0-9]*$' $$,
    'every CHECK has an explicit name'
);
SELECT is_empty(
    $$ SELECT c.oid::regclass FROM pg_catalog.pg_class AS c
       WHERE c.relnamespace = 'wallet'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND c.relname NOT IN ('repeatables')
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_index AS i WHERE i.indrelid = c.oid AND i.indisprimary) $$,
    'every table has a primary key'
);
SELECT is(
    (SELECT a.attname::text FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = t.name::regclass AND a.attnum = 1),
    'account_id', 'account_id comes first in ' || t.name || ' (rule 1)'
) FROM unnest(ARRAY['wallet.wallets', 'wallet.lots', 'wallet.entries', 'wallet.bookings', 'wallet.repayments',
    'wallet.entry_texts', 'wallet.subscriptions']) AS t (name);
SELECT * FROM finish();
ROLLBACK;
