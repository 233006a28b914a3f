-- Returns the account of a user, and creates one when the user is first seen. A user who was deleted gets a new
-- account. A trigger of the inbox then retries the store messages that wait for the user (inbox/names.sql).
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
        EXIT WHEN FOUND;
        -- Another transaction has just created the identity. The loop reads that account, unless the user is deleted
        -- first.
        DELETE FROM wallet.accounts WHERE account_id = v_account_id;
    END LOOP;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.account_for(TEXT, BOOLEAN, UUID) IS
'Returns the account of a user, and creates it when the user is first seen.';

-- Returns the account that a store's message means, from the user ids that it names, likeliest first. The first id that
-- is neither anonymous nor deleted decides, and its account is created if it is new. Without one, the first anonymous
-- id that the wallet knows decides; otherwise the result is null. Invalid user ids are skipped. It never merges
-- accounts.
-- Locks: see wallet.account_for. Codes: WL503 wallet-busy (the user's account was deleted during the call).
CREATE OR REPLACE FUNCTION wallet.account_for_owners(p_owners TEXT[]) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_owner RECORD;
    v_account_id BIGINT;
BEGIN
    FOR v_owner IN
        SELECT o.user_id, i.account_id FROM unnest(p_owners) WITH ORDINALITY AS o (user_id, place)
        LEFT JOIN wallet.identities AS i ON i.user_id = wallet.canonical_user_id(o.user_id)
        WHERE char_length(o.user_id) BETWEEN 1 AND 320
            AND (i.account_id IS NOT NULL OR NOT starts_with(o.user_id, '$RCAnonymousID:'))
        ORDER BY starts_with(o.user_id, '$RCAnonymousID:'), o.place
    LOOP
        IF v_owner.account_id IS NOT NULL THEN
            RETURN v_owner.account_id;
        ELSIF NOT EXISTS (
            SELECT FROM wallet.deleted_users AS d WHERE d.user_digest = wallet.user_digest(v_owner.user_id)
        ) THEN
            v_account_id := wallet.account_for(v_owner.user_id);
            -- A deletion may have committed between the check and the creation of the account.
            IF EXISTS (
                SELECT FROM wallet.deleted_users AS d WHERE d.user_digest = wallet.user_digest(v_owner.user_id)
            ) THEN
                RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
            END IF;
            RETURN v_account_id;
        END IF;
    END LOOP;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.account_for_owners(TEXT[]) IS
'Returns the account that a store''s message means, likeliest user id first; null if it names no known user.';

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
