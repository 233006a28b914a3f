-- Returns an instant in the interface's format: RFC 3339, UTC, whole seconds.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.rfc3339(p_at TIMESTAMPTZ) RETURNS TEXT LANGUAGE plpgsql STABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
END;
$$;
COMMENT ON FUNCTION wallet.rfc3339(TIMESTAMPTZ) IS 'Returns an instant in RFC 3339, UTC, whole seconds.';
