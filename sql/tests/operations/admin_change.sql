-- wallet.admin_change: carries out every statement that administrators may write on a view of schema admin.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT set_eq(
    $$
        SELECT s.statement[1] || ' ' || s.statement[2] FROM pg_catalog.pg_proc AS p
        CROSS JOIN LATERAL regexp_matches(p.prosrc, '''(insert|update|delete) ([a-z_]+)''', 'g') AS s (statement)
        WHERE p.oid = 'wallet.admin_change'::regproc
    $$,
    $$
        SELECT lower(g.privilege_type) || ' ' || g.table_name FROM (
            SELECT r.privilege_type, r.table_name FROM information_schema.role_table_grants AS r
            WHERE r.table_schema = 'admin' AND r.grantee = 'wallet_admin' AND r.privilege_type IN ('INSERT', 'DELETE')
            UNION
            SELECT c.privilege_type, c.table_name FROM information_schema.column_privileges AS c
            WHERE c.table_schema = 'admin' AND c.grantee = 'wallet_admin' AND c.privilege_type = 'UPDATE'
        ) AS g
    $$,
    'it knows the statements that administrators have the right to, and no others'
);
SELECT is_empty(
    $$
        SELECT t.tgrelid::regclass, t.tgname FROM pg_catalog.pg_trigger AS t
        INNER JOIN pg_catalog.pg_class AS c ON t.tgrelid = c.oid
        WHERE c.relnamespace = 'admin'::regnamespace
            AND t.tgfoid NOT IN ('wallet.admin_change'::regproc, 'wallet.admin_one_row'::regproc)
    $$,
    'no view has a trigger of its own'
);
-- Errors that the statement did not cause are raised unchanged.
CREATE FUNCTION pg_temp.break() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = '55P03', MESSAGE = 'canceling statement due to lock timeout';
END;
$$;
CREATE TRIGGER breaks BEFORE INSERT ON wallet.testers FOR EACH ROW EXECUTE FUNCTION pg_temp.break();
SELECT is(
    pg_temp.raised('INSERT INTO admin.testers (user_id) VALUES (''ann'')', 'wallet_admin'),
    '55P03', 'a lock timeout stays a lock timeout'
);
SELECT * FROM finish();
ROLLBACK;
