-- Returns the functions, views and grants applied to this database, by checksum, for the check at the start of the
-- service.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.applied_repeatables() RETURNS SETOF wallet.repeatables
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT r.* FROM wallet.repeatables AS r;
$$;
COMMENT ON FUNCTION wallet.applied_repeatables() IS
'Returns the functions, views and grants applied to this database, by checksum.';
