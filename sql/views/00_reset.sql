-- Drops all views before they are recreated together, in the order of their files, so that a view may change its
-- columns freely. Views of extensions stay.
DO $$
DECLARE
    v_view RECORD;
BEGIN
    FOR v_view IN
        SELECT n.nspname, c.relname FROM pg_catalog.pg_class AS c
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE
            c.relkind = 'v' AND n.nspname IN ('wallet', 'admin')
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
    LOOP
        EXECUTE format('DROP VIEW IF EXISTS %I.%I CASCADE', v_view.nspname, v_view.relname);
    END LOOP;
END;
$$;
