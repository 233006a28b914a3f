-- Each role, and a role without rights, tries every statement on every existing object; everything that
-- support/rights.sql does not list is refused. The statements are generated from the catalogue, so that new objects are
-- included.
BEGIN;
\ir ../support/books.sql
\ir ../support/rights.sql
SET LOCAL client_min_messages = error;
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.gift('ann', 5);
CREATE ROLE wallet_test_stranger;

-- Executes a statement in a session of the role and rolls it back; returns the SQLSTATE.
CREATE FUNCTION pg_temp.attempt(p_role text, p_statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL SESSION AUTHORIZATION %I', p_role);
    EXECUTE p_statement;
    RAISE EXCEPTION USING ERRCODE = 'ZZ000', MESSAGE = 'carried out';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END;
$$;
-- The same for GRANT, which only warns if it has no effect.
CREATE FUNCTION pg_temp.granting(p_catalogue text, p_rights text, p_oid oid, p_statement text) RETURNS text
LANGUAGE sql AS $$
    SELECT format(
        'DO $do$ DECLARE v_before CONSTANT aclitem[] := (SELECT o.%2$I FROM pg_catalog.%1$I AS o WHERE o.oid = %3$s);'
        ' BEGIN %4$s; IF v_before IS NOT DISTINCT FROM (SELECT o.%2$I FROM pg_catalog.%1$I AS o WHERE o.oid = %3$s)'
        ' THEN RAISE insufficient_privilege; END IF; END $do$', p_catalogue, p_rights, p_oid, p_statement
    );
$$;
-- Calls a function with nulls that the planner cannot see: it would skip the permission check of a call that it
-- optimizes away.
CREATE FUNCTION pg_temp.call_of(p_function oid) RETURNS text LANGUAGE sql AS $$
    SELECT format(
        'SELECT %s(%s) FROM (SELECT %s OFFSET 0) AS x', p.oid::regproc,
        coalesce(string_agg(format('x.a%s', t.n), ', ' ORDER BY t.n) FILTER (WHERE t.n IS NOT NULL), ''),
        coalesce(
            string_agg(format('NULL::%s AS a%s', t.id::regtype, t.n), ', ' ORDER BY t.n) FILTER (WHERE t.n IS NOT NULL), ''
        )
    )
    FROM pg_catalog.pg_proc AS p
    LEFT JOIN LATERAL unnest(p.proargtypes::oid[]) WITH ORDINALITY AS t (id, n) ON TRUE
    WHERE p.oid = p_function
    GROUP BY p.oid;
$$;

CREATE TEMPORARY TABLE actors AS
SELECT r.role FROM (VALUES
    ('wallet_service'), ('wallet_admin'), ('wallet_auditor'), ('wallet_test_stranger')
) AS r (role);
CREATE TEMPORARY TABLE relations AS
SELECT c.oid, c.relkind AS kind, format('%s.%I', c.relnamespace::regnamespace, c.relname) AS name
FROM pg_catalog.pg_class AS c
WHERE
    c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
    AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f');
CREATE TEMPORARY TABLE routines AS
SELECT p.oid, p.oid::regprocedure::text AS name, format('%s.%s', p.pronamespace::regnamespace, p.proname) AS short
FROM pg_catalog.pg_proc AS p
WHERE p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace);
CREATE TEMPORARY TABLE attempts (role text, action text, object text, statement text, kind text, state text);

-- Reading and writing
INSERT INTO attempts (role, action, object, statement, kind)
SELECT a.role, s.action, r.name, format(s.statement, r.name), r.kind
FROM actors AS a
CROSS JOIN relations AS r
CROSS JOIN (VALUES
    ('SELECT', 'SELECT FROM %s'), ('INSERT', 'INSERT INTO %s DEFAULT VALUES'),
    ('DELETE', 'DELETE FROM %s WHERE FALSE'), ('TRUNCATE', 'TRUNCATE %s'),
    ('SELECT', 'LOCK TABLE %s IN ACCESS SHARE MODE'), ('LOCK', 'LOCK TABLE %s IN ACCESS EXCLUSIVE MODE')
) AS s (action, statement)
WHERE r.kind <> 'S' OR s.statement = 'SELECT FROM %s';
-- Each column separately: no secret of a table, and no column that may not be written
INSERT INTO attempts (role, action, object, statement, kind)
SELECT
    a.role, s.action, CASE s.action WHEN 'SELECT' THEN r.name ELSE format('%s(%s)', r.name, c.attname) END,
    format(s.statement, r.name, c.attname), r.kind
FROM actors AS a
CROSS JOIN relations AS r
INNER JOIN pg_catalog.pg_attribute AS c ON r.oid = c.attrelid AND c.attnum > 0 AND NOT c.attisdropped
CROSS JOIN (VALUES
    ('SELECT', 'SELECT t.%2$I FROM %1$s AS t LIMIT 1'), ('UPDATE', 'UPDATE %1$s SET %2$I = DEFAULT WHERE FALSE')
) AS s (action, statement)
WHERE r.kind IN ('r', 'p') OR (r.kind = 'v' AND s.action = 'UPDATE') OR (r.kind = 'S' AND s.action = 'SELECT');
-- Changes of existing objects
INSERT INTO attempts (role, action, object, statement, kind)
SELECT a.role, 'change', r.name, format(s.statement, CASE r.kind
    WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, r.name), r.kind
FROM actors AS a
CROSS JOIN relations AS r
CROSS JOIN (VALUES
    ('DROP %1$s %2$s CASCADE'), ('ALTER %1$s %2$s OWNER TO CURRENT_USER'), ('ALTER %1$s %2$s RENAME TO mine'),
    ('ALTER %1$s %2$s SET SCHEMA public'), ('COMMENT ON %1$s %2$s IS ''mine''')
) AS s (statement)
UNION ALL
SELECT a.role, 'change', r.name, format(s.statement, r.name), r.kind
FROM actors AS a
CROSS JOIN relations AS r
CROSS JOIN (VALUES
    ('ALTER TABLE %s DISABLE TRIGGER ALL'), ('ALTER TABLE %s ADD COLUMN mine integer'),
    ('ALTER TABLE %s DISABLE ROW LEVEL SECURITY'), ('ALTER TABLE %s REPLICA IDENTITY FULL'),
    ('CREATE INDEX ON %s ((1))'), ('CREATE POLICY mine ON %s'),
    ('CREATE RULE mine AS ON INSERT TO %s DO INSTEAD NOTHING'),
    ('CREATE TRIGGER mine BEFORE INSERT ON %s FOR EACH STATEMENT'
    ' EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()')
) AS s (statement)
WHERE r.kind IN ('r', 'p')
UNION ALL
SELECT a.role, 'change', r.name, pg_temp.granting('pg_class', 'relacl', r.oid, format(s.statement, r.name)), r.kind
FROM actors AS a
CROSS JOIN relations AS r
CROSS JOIN (VALUES ('GRANT ALL ON %s TO public'), ('GRANT ALL ON %s TO CURRENT_USER')) AS s (statement)
UNION ALL
SELECT a.role, 'change', r.name, format(s.statement, r.name), r.kind
FROM actors AS a
CROSS JOIN relations AS r
CROSS JOIN (VALUES ('SELECT nextval(%L)'), ('SELECT setval(%L, 1)'), ('SELECT currval(%L)')) AS s (statement)
WHERE r.kind = 'S';
-- Functions: calls and changes of them
INSERT INTO attempts (role, action, object, statement)
SELECT a.role, 'EXECUTE', r.short, pg_temp.call_of(r.oid)
FROM actors AS a
CROSS JOIN routines AS r
UNION ALL
SELECT a.role, 'change', r.short, format(s.statement, r.name)
FROM actors AS a
CROSS JOIN routines AS r
CROSS JOIN (VALUES
    ('ALTER FUNCTION %s OWNER TO CURRENT_USER'), ('ALTER FUNCTION %s SECURITY INVOKER'),
    ('ALTER FUNCTION %s RESET ALL'), ('ALTER FUNCTION %s SET search_path = pg_temp'), ('DROP FUNCTION %s CASCADE')
) AS s (statement)
UNION ALL
SELECT a.role, 'change', r.short, pg_temp.granting('pg_proc', 'proacl', r.oid, format(
    'GRANT EXECUTE ON FUNCTION %s TO public', r.name
))
FROM actors AS a
CROSS JOIN routines AS r
WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = r.oid AND d.deptype = 'e');
INSERT INTO attempts (role, action, object, statement)
SELECT a.role, 'change', t.oid::regtype, format(s.statement, CASE t.typtype WHEN 'd' THEN 'DOMAIN' ELSE 'TYPE' END,
    t.oid::regtype)
FROM actors AS a
CROSS JOIN pg_catalog.pg_type AS t
CROSS JOIN (VALUES
    ('ALTER %1$s %2$s OWNER TO CURRENT_USER'), ('DROP %1$s %2$s CASCADE'), ('COMMENT ON %1$s %2$s IS ''mine''')
) AS s (statement)
WHERE
    t.typnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND t.typelem = 0
    AND (t.typrelid = 0 OR EXISTS (
        SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = t.typrelid AND c.relkind = 'c'
    ));
-- Schemas: those of the wallet, and all others in which objects could be hidden
INSERT INTO attempts (role, action, object, statement)
SELECT a.role, 'change', n.nspname, format(s.statement, n.nspname)
FROM actors AS a
CROSS JOIN pg_catalog.pg_namespace AS n
CROSS JOIN (VALUES
    ('CREATE TABLE %I.mine (id integer)'), ('CREATE VIEW %I.mine AS SELECT 1 AS one'), ('CREATE SEQUENCE %I.mine'),
    ('CREATE FUNCTION %I.now() RETURNS timestamptz LANGUAGE sql AS ''SELECT clock_timestamp()'''),
    ('CREATE TYPE %I.mine AS (one integer)'), ('CREATE DOMAIN %I.mine AS integer'),
    ('CREATE OPERATOR %I.= (LEFTARG = bigint, RIGHTARG = text, FUNCTION = pg_catalog.textlike)'),
    ('ALTER SCHEMA %I OWNER TO CURRENT_USER'), ('ALTER SCHEMA %I RENAME TO mine'), ('DROP SCHEMA %I CASCADE')
) AS s (statement)
WHERE n.nspname !~ '^pg_(toast_)?temp_';
-- Other roles: becoming, joining, changing and robbing them
INSERT INTO attempts (role, action, object, statement)
SELECT a.role, 'become', r.rolname, format(s.statement, r.rolname, a.role)
FROM actors AS a
CROSS JOIN pg_catalog.pg_roles AS r
CROSS JOIN (VALUES
    ('SET ROLE %1$I'), ('GRANT %1$I TO %2$I'), ('DROP ROLE %1$I'), ('ALTER ROLE %1$I SET search_path = pg_temp'),
    ('ALTER ROLE %1$I SUPERUSER'), ('ALTER ROLE %1$I PASSWORD ''mine'''), ('REASSIGN OWNED BY %1$I TO %2$I'),
    ('DROP OWNED BY %1$I CASCADE'), ('ALTER DEFAULT PRIVILEGES FOR ROLE %1$I GRANT ALL ON TABLES TO %2$I')
) AS s (statement)
WHERE r.rolname <> a.role AND (r.rolname !~ '^pg_' OR s.statement ~ '^(SET|GRANT)');
-- The server: its files, programs, settings and catalogues
INSERT INTO attempts (role, action, object, statement)
SELECT a.role, 'server', 'the server', r.statement
FROM actors AS a
CROSS JOIN (VALUES
    ('COPY (SELECT 1) TO PROGRAM ''true'''), ('COPY (SELECT 1) TO ''/tmp/mine'''),
    ('CREATE TEMPORARY TABLE mine (line text); COPY mine FROM PROGRAM ''true'''),
    ('CREATE TEMPORARY TABLE mine (line text); COPY mine FROM ''/etc/passwd'''),
    ('SELECT pg_read_file(''PG_VERSION'')'), ('SELECT pg_read_binary_file(''PG_VERSION'')'),
    ('SELECT pg_ls_dir(''.'')'), ('SELECT pg_stat_file(''PG_VERSION'')'), ('SELECT pg_ls_logdir()'),
    ('SELECT pg_ls_waldir()'), ('SELECT pg_read_file(name) FROM pg_settings'), ('SELECT lo_import(''/etc/passwd'')'),
    ('SELECT lo_export(1, ''/tmp/mine'')'), ('SELECT pg_reload_conf()'), ('SELECT pg_rotate_logfile()'),
    ('SELECT pg_switch_wal()'), ('SELECT pg_create_restore_point(''mine'')'), ('SELECT pg_promote()'),
    ('SELECT pg_stat_reset()'), ('SELECT pg_create_physical_replication_slot(''mine'')'),
    ('SELECT pg_show_all_file_settings()'), ('SELECT pg_hba_file_rules()'), ('SELECT pg_config()'),
    ('SET session_replication_role = replica'), ('SET LOCAL session_replication_role = replica'),
    ('SET allow_system_table_mods = on'), ('SET log_statement = ''none'''), ('SET zero_damaged_pages = on'),
    ('SELECT set_config(''session_replication_role'', ''replica'', TRUE)'), ('LOAD ''auto_explain'''),
    ('SELECT FROM pg_catalog.pg_authid'), ('SELECT FROM pg_catalog.pg_shadow'),
    ('SELECT FROM pg_catalog.pg_statistic'), ('SELECT s.subconninfo FROM pg_catalog.pg_subscription AS s'),
    ('UPDATE pg_catalog.pg_proc SET prosecdef = FALSE'), ('DELETE FROM pg_catalog.pg_trigger'),
    ('INSERT INTO pg_catalog.pg_auth_members DEFAULT VALUES'), ('UPDATE pg_catalog.pg_class SET relowner = 10'),
    ('ALTER ROLE %I SUPERUSER'), ('ALTER ROLE %I CREATEROLE'), ('ALTER ROLE %I CREATEDB'),
    ('ALTER ROLE %I BYPASSRLS'), ('ALTER ROLE %I REPLICATION'), ('CREATE ROLE mine'), ('CREATE SCHEMA mine'),
    ('CREATE EXTENSION hstore'), ('ALTER EXTENSION pgtap SET SCHEMA public'),
    ('DROP EXTENSION pgtap CASCADE'),
    ('CREATE FUNCTION pg_temp.mine() RETURNS integer LANGUAGE c AS ''libc'', ''getpid'''),
    ('CREATE FUNCTION pg_temp.mine(cstring) RETURNS integer LANGUAGE internal AS ''int4in'''),
    ('CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION pg_temp.mine()'),
    ('CREATE PUBLICATION mine FOR ALL TABLES'), ('CREATE FOREIGN DATA WRAPPER mine'),
    ('CREATE CAST (bigint AS boolean) WITHOUT FUNCTION'), ('CREATE ACCESS METHOD mine TYPE INDEX HANDLER btree'),
    ('COMMENT ON DATABASE %2$I IS ''mine'''), ('ALTER DATABASE %2$I SET search_path = pg_temp'),
    ('ALTER DATABASE %2$I OWNER TO CURRENT_USER'), ('ALTER DATABASE %2$I RENAME TO mine')
) AS s (statement)
CROSS JOIN LATERAL (
    SELECT replace(replace(s.statement, '%2$I', quote_ident(current_database())), '%I', quote_ident(a.role))
) AS r (statement);

UPDATE attempts AS t SET state = pg_temp.attempt(t.role, t.statement)
WHERE
    -- Allowed statements run only if they change nothing; the functions' own tests call the functions.
    t.action <> 'EXECUTE'
    OR NOT EXISTS (SELECT FROM allowed AS a WHERE a.role = t.role AND a.action = 'EXECUTE' AND a.object = t.object);

SELECT cmp_ok((SELECT count(*)::integer FROM attempts AS t WHERE t.role = r.role), '>', 4000, r.role || ' tried a lot')
FROM actors AS r;
-- A view that is not updatable reports that before PostgreSQL checks rights.
SELECT is_empty(
    format($$
        SELECT t.statement, t.state FROM attempts AS t
        WHERE t.role = %L AND t.state <> '42501'
            AND NOT (
                coalesce(t.kind = 'v', FALSE) AND t.action <> 'SELECT'
                AND t.state IN ('55000', '0A000', '42809', '428C9')
            )
            -- Since version 16 PostgreSQL reports before it checks rights that this role has no members.
            AND (left(t.statement, 25), t.state) IS DISTINCT FROM ('GRANT pg_database_owner T', CASE
                WHEN current_setting('server_version_num')::integer >= 180000 THEN '0A000'
                WHEN current_setting('server_version_num')::integer >= 160000 THEN 'XX000'
            END)
            -- If the extension is not available, PostgreSQL reports that first.
            AND (t.statement, t.state, EXISTS (SELECT FROM pg_available_extensions AS e WHERE e.name = 'hstore'))
                IS DISTINCT FROM ('CREATE EXTENSION hstore', '0A000', FALSE)
            AND NOT EXISTS (
                SELECT FROM allowed AS a
                WHERE a.role = t.role
                    AND (a.action = t.action OR (t.action = 'LOCK' AND a.action IN ('UPDATE', 'DELETE')))
                    AND a.object IN (t.object, regexp_replace(t.object, '\(.*', ''))
            ) $$, r.role),
    r.role || ' is refused all rights that are not listed'
) FROM actors AS r;
SELECT is_empty(
    format($$
        SELECT a.action, a.object FROM allowed AS a
        WHERE a.role = %L AND a.action NOT IN ('USAGE', 'EXECUTE')
            AND NOT EXISTS (
                SELECT FROM attempts AS t
                WHERE t.role = a.role AND t.action = a.action AND t.state <> '42501'
                    AND a.object IN (t.object, regexp_replace(t.object, '\(.*', ''))
            ) $$, r.role),
    r.role || ' can do what is listed'
) FROM actors AS r;
SELECT is_empty(
    $$ SELECT t.role, t.object FROM attempts AS t
       WHERE t.action = 'LOCK' AND t.state = 'ZZ000' AND NOT (t.role = 'wallet_admin' AND t.object = ANY(ARRAY[
           'admin.classes', 'admin.holidays', 'admin.offers', 'admin.policies', 'admin.products', 'admin.series',
           'admin.testers']))
    $$,
    'only wallet_admin may lock tables, and only seven views'
);

-- The ledger's own protection, tried as its owner. (An owner may drop a trigger; the hash chain shows that.)
SELECT is(pg_temp.attempt(r.role, s.statement), s.state, r.role || ': ' || s.statement)
FROM (VALUES
    ('UPDATE wallet.entries SET amount = 1000 WHERE version = 1', 'WL403'),
    ('DELETE FROM wallet.entries', 'WL403'), ('TRUNCATE wallet.entries CASCADE', 'WL403'),
    ('SET LOCAL session_replication_role = replica; DELETE FROM wallet.entries', '42501'),
    ('COPY wallet.entries TO PROGRAM ''true''', '42501'), ('SELECT pg_read_file(''PG_VERSION'')', '42501'),
    ('SET ROLE wallet_service', '42501'), ('CREATE ROLE mine', '42501')
) AS s (statement, state)
CROSS JOIN (VALUES ('wallet_owner')) AS r (role);

SELECT is(pg_temp.story('ann'), 'grant 25, spend -20, adjust 5', 'the ledger did not change');
SELECT set_eq(
    $$ SELECT g.role || ' ' || g.action || ' ' || g.object FROM granted AS g $$,
    $$ SELECT a.role || ' ' || a.action || ' ' || a.object FROM allowed AS a $$,
    'no role has more rights than before'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
