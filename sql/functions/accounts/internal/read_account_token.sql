-- Returns the account token in a store's text, or null if the text identifies no user. Apps that set no token send an
-- empty or all-zero one, and this service never issues a token that is not a UUID. An invalid token does not cause a
-- purchase to be refused.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.read_account_token(p_text TEXT) RETURNS UUID LANGUAGE sql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN p_text ~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
            THEN nullif(p_text::UUID, '00000000-0000-0000-0000-000000000000'::UUID)
    END;
$$;
COMMENT ON FUNCTION wallet.read_account_token(TEXT) IS
'Returns the account token in a store''s text, or null if it identifies no user.';
