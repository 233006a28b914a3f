-- Returns the account of a user, and creates one when the user is first seen. A user who was deleted gets a new
-- account. After creating an account, it retries the parked store messages that name the user.
-- p_is_anonymous: whether the first token of a new user is anonymous; null if no token names the user.
-- p_account_token: the result of wallet.app_account_token for the user, if the caller has it; null to compute it here.
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
        -- Another transaction has just created the identity. The loop reads that account, unless the user is deleted
        -- first.
        DELETE FROM wallet.accounts WHERE account_id = v_account_id;
    END LOOP;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.account_for(TEXT, BOOLEAN, UUID) IS
'Returns the account of a user, and creates it when the user is first seen.';
