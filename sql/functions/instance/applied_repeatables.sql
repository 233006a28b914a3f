-- Returns which functions, views and grants this database has, by checksum, for the check that a starting service
-- makes.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.applied_repeatables() RETURNS SETOF wallet.repeatables
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT r.* FROM wallet.repeatables AS r;
$$;
COMMENT ON FUNCTION wallet.applied_repeatables() IS
'Which functions, views and grants this database has, by checksum.';
