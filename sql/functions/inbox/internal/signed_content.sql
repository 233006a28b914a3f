-- Returns the payload of a signed text (JWS) without checking its signature; null for any other text.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.signed_content(p_text TEXT) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_part CONSTANT TEXT := translate((regexp_match(p_text, '^[\w-]+\.([\w-]+)\.[\w-]+$'))[1], '-_', '+/');
BEGIN
    RETURN convert_from(decode(rpad(v_part, (length(v_part) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::JSONB;
EXCEPTION
    -- Three words separated by dots need not be a JWS.
    WHEN data_exception THEN RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.signed_content(TEXT) IS
'Returns the payload of a signed text, without checking its signature.';
