-- Admits a bearer token, or rejects it. A token is rejected if its user was merged into another account, or was deleted
-- at or after the time the token was issued. A token without an issue time is treated as older than any deletion.
-- The function also records whether the user is anonymous. The first token decides, even if a store named the user
-- before. A user who signs in is no longer anonymous. It creates the account of a new user if the token is anonymous,
-- or if a store message waits for the user; the message is then applied although the user bought nothing. Otherwise it
-- writes nothing.
-- p_account_token: the result of wallet.app_account_token for the user, if the caller has it; null to compute it here.
-- Locks: the identity, when it changes. Codes: WL401 unauthenticated.
CREATE OR REPLACE FUNCTION wallet.admit_token(
    p_user_id TEXT,
    p_issued_at TIMESTAMPTZ,
    p_is_anonymous BOOLEAN,
    p_account_token UUID DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_user_id CONSTANT TEXT := wallet.canonical_user_id(p_user_id);
    v_known RECORD;
BEGIN
    SELECT i.user_id, i.is_anonymous, i.merged_at, d.deleted_at INTO STRICT v_known
    FROM (SELECT wallet.user_digest(v_user_id) AS user_digest) AS t
    LEFT JOIN wallet.identities AS i ON i.user_id = v_user_id
    LEFT JOIN wallet.deleted_users AS d ON t.user_digest = d.user_digest;
    IF v_known.merged_at IS NOT NULL OR v_known.deleted_at >= coalesce(p_issued_at, '-infinity') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    END IF;
    IF v_known.user_id IS NULL THEN
        p_account_token := coalesce(p_account_token, wallet.app_account_token(v_user_id));
        -- This uses count(*) because the planner would read all waiting messages to find the first match.
        IF
            p_is_anonymous OR (
                SELECT count(*) FROM wallet.inbox AS i
                WHERE i.status = 'parked' AND i.names && ARRAY[v_user_id, p_account_token::TEXT]
            ) > 0
        THEN
            PERFORM wallet.account_for(v_user_id, coalesce(p_is_anonymous, FALSE), p_account_token);
        END IF;
    ELSIF (v_known.is_anonymous IS NULL OR (v_known.is_anonymous AND p_is_anonymous IS NOT TRUE))
    THEN
        UPDATE wallet.identities AS i SET
            is_anonymous = coalesce(i.is_anonymous, TRUE) AND coalesce(p_is_anonymous, FALSE)
        WHERE i.user_id = v_user_id AND i.merged_at IS NULL;
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
        END IF;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.admit_token(TEXT, TIMESTAMPTZ, BOOLEAN, UUID) IS
'Admits a bearer token, or rejects one of a deleted or merged user.';
