-- Returns the numbered migrations applied to this database, for the check at the start of the service.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.applied_migrations() RETURNS SETOF wallet.migrations
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT m.* FROM wallet.migrations AS m;
$$;
COMMENT ON FUNCTION wallet.applied_migrations() IS 'Returns the numbered migrations applied to this database.';

-- Returns the functions, views and grants applied to this database, by checksum, for the check at the start of the
-- service.
CREATE OR REPLACE FUNCTION wallet.applied_repeatables() RETURNS SETOF wallet.repeatables
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT r.* FROM wallet.repeatables AS r;
$$;
COMMENT ON FUNCTION wallet.applied_repeatables() IS
'Returns the functions, views and grants applied to this database, by checksum.';
