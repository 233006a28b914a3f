-- Returns the text of a message that is not JSON and therefore stored in base64; null for any other. Bytes that are not
-- UTF-8 are escaped as numbers.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.raw_text(p_raw JSONB) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN convert_from(decode(p_raw ->> 'base64', 'base64'), 'UTF8');
EXCEPTION
    WHEN character_not_in_repertoire OR untranslatable_character THEN
        RETURN encode(decode(p_raw ->> 'base64', 'base64'), 'escape');
    WHEN data_exception THEN RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.raw_text(JSONB) IS 'Returns the text of a message that is not JSON.';
