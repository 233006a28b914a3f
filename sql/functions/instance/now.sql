-- Returns the wallet's time, which all rules, signatures and workers use.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.now() RETURNS TIMESTAMPTZ LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN clock_timestamp() + (SELECT i.clock_offset FROM wallet.instance AS i WHERE i.only_row);
END;
$$;
COMMENT ON FUNCTION wallet.now() IS 'Returns the wallet clock: real time, which a dev database may offset.';
