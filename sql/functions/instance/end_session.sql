-- Ends a session of the operators' console, on every instance; forgets sessions that have ended by themselves.
-- p_ends_at: when it would have ended by itself.
-- Locks: none that wait. Codes: none.
CREATE OR REPLACE FUNCTION wallet.end_session(p_session_digest BYTEA, p_ends_at TIMESTAMPTZ) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    -- Sessions live by the real clock: that of a development database may stand anywhere.
    DELETE FROM wallet.ended_sessions AS s WHERE s.ends_at < clock_timestamp();
    INSERT INTO wallet.ended_sessions (session_digest, ends_at) VALUES (p_session_digest, p_ends_at)
    ON CONFLICT (session_digest) DO NOTHING;
END;
$$;
COMMENT ON FUNCTION wallet.end_session(BYTEA, TIMESTAMPTZ) IS 'Ends a session of the operators'' console.';
