-- Returns the one time that rules, signatures and workers go by.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.now() RETURNS TIMESTAMPTZ LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN clock_timestamp() + (SELECT i.clock_offset FROM wallet.instance AS i WHERE i.only_row);
END;
$$;
COMMENT ON FUNCTION wallet.now() IS 'The wallet clock: real time, which a database marked dev may offset.';
