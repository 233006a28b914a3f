-- Prints a line for every error or warning of plpgsql_check in the wallet's functions; prints nothing if there are
-- none. A trigger function is checked against each of its tables.
SELECT p.oid::REGPROCEDURE, c.lineno, c.level, c.sqlstate, c.message, c.detail
FROM pg_catalog.pg_proc AS p
INNER JOIN pg_catalog.pg_namespace AS n ON p.pronamespace = n.oid
INNER JOIN pg_catalog.pg_language AS l ON p.prolang = l.oid
LEFT JOIN pg_catalog.pg_trigger AS t ON p.oid = t.tgfoid AND NOT t.tgisinternal
CROSS JOIN LATERAL public.plpgsql_check_function_tb(
    p.oid, coalesce(t.tgrelid, 0), fatal_errors => FALSE, other_warnings => FALSE, performance_warnings => FALSE,
    security_warnings => TRUE
) AS c
WHERE
    l.lanname = 'plpgsql'
    AND n.nspname IN ('wallet', 'admin')
    AND (p.prorettype <> 'pg_catalog.trigger'::REGTYPE OR t.oid IS NOT NULL)
ORDER BY 1, 2;
