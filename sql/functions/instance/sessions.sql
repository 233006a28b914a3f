-- Ends a session of the operators' console on every instance, and deletes the records of sessions that have expired.
-- p_ends_at: when the session expires.
-- Locks: none that it waits for. Codes: none.
CREATE OR REPLACE FUNCTION wallet.end_session(p_session_digest BYTEA, p_ends_at TIMESTAMPTZ) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    -- Sessions use the real clock, because the clock of a dev database may show any time.
    DELETE FROM wallet.ended_sessions AS s WHERE s.ends_at < clock_timestamp();
    INSERT INTO wallet.ended_sessions (session_digest, ends_at) VALUES (p_session_digest, p_ends_at)
    ON CONFLICT (session_digest) DO NOTHING;
END;
$$;
COMMENT ON FUNCTION wallet.end_session(BYTEA, TIMESTAMPTZ) IS 'Ends a session of the operators'' console.';

-- Returns whether a session of the operators' console was signed out.
CREATE OR REPLACE FUNCTION wallet.is_session_ended(p_session_digest BYTEA) RETURNS BOOLEAN
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT EXISTS (SELECT FROM wallet.ended_sessions AS s WHERE s.session_digest = p_session_digest);
$$;
COMMENT ON FUNCTION wallet.is_session_ended(BYTEA) IS
'Returns whether a session of the operators'' console was signed out.';
