-- Returns whether a session of the operators' console was signed out.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_session_ended(p_session_digest BYTEA) RETURNS BOOLEAN
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT EXISTS (SELECT FROM wallet.ended_sessions AS s WHERE s.session_digest = p_session_digest);
$$;
COMMENT ON FUNCTION wallet.is_session_ended(BYTEA) IS
'Returns whether a session of the operators'' console was signed out.';
