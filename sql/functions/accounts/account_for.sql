-- Finds the account of a user, opening one when the user is first seen; a deleted user gets a new one. What the stores
-- said of a user before that is then tried again at once.
-- p_is_anonymous: whether the token of a user first seen is anonymous; null where no token names the user.
-- p_account_token: what wallet.app_account_token returns for the user, where the caller has it; null to work it out.
-- Locks: the new identity, messages that wait for it (SKIP LOCKED). Codes: none.
CREATE OR REPLACE FUNCTION wallet.account_for(
    p_user_id TEXT,
    p_is_anonymous BOOLEAN DEFAULT NULL,
    p_account_token UUID DEFAULT NULL
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_user_id CONSTANT TEXT := wallet.canonical_user_id(p_user_id);
    v_account_id BIGINT;
BEGIN
    LOOP
        SELECT i.account_id INTO v_account_id FROM wallet.identities AS i WHERE i.user_id = v_user_id;
        EXIT WHEN FOUND;
        p_account_token := coalesce(p_account_token, wallet.app_account_token(v_user_id));
        INSERT INTO wallet.accounts (created_at) VALUES (wallet.now()) RETURNING account_id INTO v_account_id;
        INSERT INTO wallet.identities (user_id, account_id, app_account_token, is_anonymous, created_at)
        VALUES (v_user_id, v_account_id, p_account_token, p_is_anonymous, wallet.now())
        ON CONFLICT (user_id) DO NOTHING;
        IF FOUND THEN
            PERFORM wallet.retry_parked_events(v_user_id, p_account_token);
            EXIT;
        END IF;
        -- Somebody else opened it at this moment: theirs stands, unless the user is deleted before it is read.
        DELETE FROM wallet.accounts WHERE account_id = v_account_id;
    END LOOP;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.account_for(TEXT, BOOLEAN, UUID) IS
'The account of a user, opened when the user is first seen.';
