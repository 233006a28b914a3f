-- Returns the account token that a store's text holds, null for text that names no user: apps that set no token send an
-- empty or an all-zero one, and text that is no UUID is not a token that this service gave out. A purchase is not
-- refused for it.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.read_account_token(p_text TEXT) RETURNS UUID LANGUAGE sql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN p_text ~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
            THEN nullif(p_text::UUID, '00000000-0000-0000-0000-000000000000'::UUID)
    END;
$$;
COMMENT ON FUNCTION wallet.read_account_token(TEXT) IS
'The account token that a store''s text holds, null for text that names no user.';
