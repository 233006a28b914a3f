-- The names by which a store's message may name a user, as wallet.inbox keeps them: the id and the account token.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.user_names(p_user_id TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT ARRAY[wallet.canonical_user_id(p_user_id), wallet.app_account_token(p_user_id)::TEXT];
$$;
COMMENT ON FUNCTION wallet.user_names(TEXT) IS 'The names by which a store''s message may name a user.';
