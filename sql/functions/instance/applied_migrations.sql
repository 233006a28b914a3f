-- Returns which numbered migrations this database has, for the check that a starting service makes.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.applied_migrations() RETURNS SETOF wallet.migrations
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT m.* FROM wallet.migrations AS m;
$$;
COMMENT ON FUNCTION wallet.applied_migrations() IS 'Which numbered migrations this database has.';
