-- Returns the account of a user named by an operator or administrator. An unknown user id may be a typing error, so the
-- function creates an account only if p_new_user is true.
-- Locks: see wallet.account_for. Codes: WL404 user-not-found.
CREATE OR REPLACE FUNCTION wallet.known_account(p_user_id TEXT, p_new_user BOOLEAN DEFAULT FALSE) RETURNS BIGINT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id BIGINT;
BEGIN
    IF p_new_user THEN
        RETURN wallet.account_for(p_user_id);
    END IF;
    SELECT i.account_id INTO v_account_id FROM wallet.identities AS i
    WHERE i.user_id = wallet.canonical_user_id(p_user_id);
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found',
            HINT = 'Check the user_id. To add a new user, set new_user = TRUE.';
    END IF;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.known_account(TEXT, BOOLEAN) IS
'Returns the account of a user named by an operator; creates one only if p_new_user is true.';
