-- Returns the digest that binds a confirmation to its preview. It covers the action, the whole request and the state at
-- that time.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.preview_digest(p_action TEXT, p_request JSONB, p_state JSONB) RETURNS TEXT
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT encode(sha256(convert_to(jsonb_build_array(p_action, p_request, p_state)::TEXT, 'UTF8')), 'hex');
$$;
COMMENT ON FUNCTION wallet.preview_digest(TEXT, JSONB, JSONB) IS
'Returns the digest that binds a confirmation to its preview.';
