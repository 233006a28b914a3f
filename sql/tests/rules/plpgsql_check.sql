-- Every PL/pgSQL function passes plpgsql_check: types, columns, queries, and nothing unused.
BEGIN;
\ir ../support/books.sql
CREATE EXTENSION IF NOT EXISTS plpgsql_check;
SELECT * FROM no_plan();
SELECT is(
    (SELECT string_agg(concat_ws(' ', c.lineno, c.level, c.message), e'\n')
    FROM plpgsql_check_function_tb(
        p.oid, coalesce(t.tgrelid, 0), fatal_errors => FALSE, other_warnings => FALSE, performance_warnings => FALSE,
        security_warnings => TRUE
    ) AS c),
    NULL, p.oid::regprocedure::text
)
FROM pg_catalog.pg_proc AS p
INNER JOIN pg_catalog.pg_language AS l ON p.prolang = l.oid
LEFT JOIN LATERAL (
    SELECT DISTINCT t.tgrelid FROM pg_catalog.pg_trigger AS t WHERE t.tgfoid = p.oid AND NOT t.tgisinternal
) AS t ON TRUE
WHERE l.lanname = 'plpgsql' AND p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
ORDER BY p.oid::regprocedure::text;
SELECT * FROM finish();
ROLLBACK;
