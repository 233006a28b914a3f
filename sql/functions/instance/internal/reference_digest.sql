-- Returns the digest that stands for the reference of an action; null where the request has none to answer again.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reference_digest(p_action TEXT, p_reference TEXT, p_request JSONB) RETURNS BYTEA
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN p_request IS NOT NULL THEN sha256(convert_to(p_action || ' ' || p_reference, 'UTF8'))
    END;
$$;
COMMENT ON FUNCTION wallet.reference_digest(TEXT, TEXT, JSONB) IS
'The digest that stands for the reference of an action.';
