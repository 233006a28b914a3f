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
