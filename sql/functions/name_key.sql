-- How the inbox writes down a name, so that it is found: a UUID in lower case, for it may come in either; any other
-- text as it is.
-- Called by: wallet.event_names, wallet.without_names, wallet.without_deleted. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.name_key(p_name TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN p_name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN lower(p_name)
        ELSE p_name
    END;
$$;
COMMENT ON FUNCTION wallet.name_key(TEXT) IS 'How the inbox writes down a name.';
