-- Moves the wallet clock of a dev database. A CHECK prevents it in a production database.
-- Locks: the instance row. Codes: WL403.
CREATE OR REPLACE FUNCTION wallet.advance_clock(p_by INTERVAL) RETURNS TIMESTAMPTZ LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    UPDATE wallet.instance SET clock_offset = clock_offset + p_by WHERE kind = 'dev';
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'clock-is-real',
            HINT = 'The clock can be advanced only in a database marked dev.';
    END IF;
    RETURN wallet.now();
END;
$$;
COMMENT ON FUNCTION wallet.advance_clock(INTERVAL) IS 'Moves the clock of a dev database and returns the new time.';
