-- Returns the digest of an action's reference; null if the action has no request to replay.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reference_digest(p_action TEXT, p_reference TEXT, p_request JSONB) RETURNS BYTEA
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN p_request IS NOT NULL THEN sha256(convert_to(p_action || ' ' || p_reference, 'UTF8'))
    END;
$$;
COMMENT ON FUNCTION wallet.reference_digest(TEXT, TEXT, JSONB) IS 'Returns the digest of an action''s reference.';
