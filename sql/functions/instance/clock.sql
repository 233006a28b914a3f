-- Returns the wallet's time, which all rules, signatures and workers use.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.now() RETURNS TIMESTAMPTZ LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN clock_timestamp() + (SELECT i.clock_offset FROM wallet.instance AS i WHERE i.only_row);
END;
$$;
COMMENT ON FUNCTION wallet.now() IS 'Returns the wallet clock: real time, which a dev database may offset.';

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

-- Marks a new database as a dev database. Refuses a production database that has ever had an account.
-- Locks: the instance row. Codes: WL409.
CREATE OR REPLACE FUNCTION wallet.mark_dev() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM wallet.accounts) AND (SELECT i.kind FROM wallet.instance AS i) <> 'dev' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'database-is-production';
    END IF;
    UPDATE wallet.instance SET kind = 'dev';
END;
$$;
COMMENT ON FUNCTION wallet.mark_dev() IS 'Marks a database without accounts as a dev database.';

-- Returns the studio's time zone, in which people read times.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.studio_time_zone() RETURNS TEXT LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (SELECT i.studio_time_zone FROM wallet.instance AS i WHERE i.only_row);
END;
$$;
COMMENT ON FUNCTION wallet.studio_time_zone() IS 'Returns the studio''s time zone, in which people read times.';

-- Returns an instant as the studio's clock shows it, such as 2026-11-28 07:00. When clocks are set back, an hour occurs
-- twice; a time in the first of them is followed by its offset from UTC, such as +02:00.
CREATE OR REPLACE FUNCTION wallet.studio_time(p_at TIMESTAMPTZ) RETURNS TEXT LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_zone CONSTANT TEXT := wallet.studio_time_zone();
    v_time CONSTANT TIMESTAMP := p_at AT TIME ZONE v_zone;
BEGIN
    RETURN to_char(v_time, 'YYYY-MM-DD HH24:MI') || CASE
        -- PostgreSQL reads an ambiguous time as the second one.
        WHEN v_time AT TIME ZONE v_zone = p_at THEN ''
        ELSE regexp_replace(
            to_char(v_time - (p_at AT TIME ZONE 'UTC'), ' HH24:MI'), '^ (?=[0-9])', ' +'
        )
    END;
END;
$$;
COMMENT ON FUNCTION wallet.studio_time(TIMESTAMPTZ) IS 'Returns an instant as the studio''s clock shows it.';
