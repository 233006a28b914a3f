-- Returns the account of a token's user, and creates it when the user is first seen. It checks the token again: it was
-- admitted when the request arrived, but the request may have waited for a store, and the user may have deleted the
-- account meanwhile.
-- p_issued_at: when the token was issued; null if the token has no issue time; infinity for a caller without a token.
-- p_is_anonymous: whether the token belongs to a user who has not signed in; null without a token.
-- p_account_token: as for wallet.admit_token.
-- Locks: as wallet.admit_token and wallet.account_for. Codes: WL401 unauthenticated.
CREATE OR REPLACE FUNCTION wallet.caller_account(
    p_user_id TEXT,
    p_issued_at TIMESTAMPTZ,
    p_is_anonymous BOOLEAN,
    p_account_token UUID DEFAULT NULL
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- This comes first, so that it waits for a deletion in progress and then sees its result.
    v_account_id CONSTANT BIGINT := wallet.account_for(
        p_user_id, CASE WHEN p_issued_at = 'infinity' THEN p_is_anonymous ELSE coalesce(p_is_anonymous, FALSE) END,
        p_account_token
    );
BEGIN
    IF p_issued_at IS DISTINCT FROM 'infinity' THEN
        PERFORM wallet.admit_token(p_user_id, p_issued_at, p_is_anonymous, p_account_token);
    END IF;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.caller_account(TEXT, TIMESTAMPTZ, BOOLEAN, UUID) IS
'Returns the account of a token''s user, and creates it when the user is first seen.';

-- Returns the accounts of a batch's users, and creates those of new users. The result is null for a user whose token is
-- no longer valid or whose user id is invalid. One statement finds the known users that were not deleted; the others
-- are checked one by one. A user known before the token was issued was not deleted since, because a deletion removes
-- the identity. Accounts are created in the order of the user ids, so that two batches with the same new users do not
-- deadlock.
-- p_issued_times: when each user's token was issued; null if the token has no issue time; infinity for a caller without
-- a token.
-- p_anonymous: whether each token belongs to a user who has not signed in.
-- p_account_tokens: as for wallet.admit_token, one for each user.
-- Locks: identities that change, and as wallet.caller_account. Codes: none.
CREATE OR REPLACE FUNCTION wallet.admit_users(
    p_user_ids TEXT[],
    p_issued_times TIMESTAMPTZ[],
    p_anonymous BOOLEAN[],
    p_account_tokens UUID[] DEFAULT NULL
) RETURNS BIGINT[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_accounts BIGINT[];
    v_place BIGINT;
BEGIN
    SELECT array_agg(CASE
        WHEN d.is_deleted IS NULL AND i.merged_at IS NULL AND (
            NOT i.is_anonymous OR (i.is_anonymous AND u.is_anonymous) OR u.issued_at = 'infinity'
        ) THEN i.account_id
    END ORDER BY u.place) INTO v_accounts
    FROM unnest(p_user_ids, p_issued_times, p_anonymous)
        WITH ORDINALITY AS u (user_id, issued_at, is_anonymous, place)
    -- Each join returns at most one row. LIMIT keeps a plan made while these tables were small from scanning them
    -- whole, and the condition inside decides whether anything is read.
    LEFT JOIN LATERAL (
        SELECT o.account_id, o.created_at, o.merged_at, o.is_anonymous FROM wallet.identities AS o
        WHERE o.user_id = wallet.canonical_user_id(u.user_id)
        LIMIT 1
    ) AS i ON TRUE
    LEFT JOIN LATERAL (
        SELECT TRUE AS is_deleted FROM wallet.deleted_users AS o
        WHERE
            (i.created_at < u.issued_at) IS NOT TRUE AND o.user_digest = (
                SELECT sha256(n.user_salt || convert_to(wallet.canonical_user_id(u.user_id), 'UTF8'))
                FROM wallet.instance AS n
            )
            AND o.deleted_at >= coalesce(u.issued_at, '-infinity')
        LIMIT 1
    ) AS d ON TRUE;
    IF array_position(v_accounts, NULL) IS NOT NULL THEN
        FOR v_place IN
            SELECT a.place FROM unnest(v_accounts, p_user_ids) WITH ORDINALITY AS a (account_id, user_id, place)
            WHERE a.account_id IS NULL
            ORDER BY wallet.canonical_user_id(a.user_id) COLLATE "C", a.place
        LOOP
            BEGIN
                v_accounts[v_place] := wallet.caller_account(
                    p_user_ids[v_place], p_issued_times[v_place], p_anonymous[v_place], p_account_tokens[v_place]
                );
            EXCEPTION
                -- A refusal of one user does not fail the batch: that account stays null.
                WHEN SQLSTATE 'WL401' OR check_violation THEN NULL;
            END;
        END LOOP;
    END IF;
    RETURN v_accounts;
END;
$$;
COMMENT ON FUNCTION wallet.admit_users(TEXT[], TIMESTAMPTZ[], BOOLEAN[], UUID[]) IS
'Returns the accounts of a batch''s users; null where a token is no longer valid.';

-- Admits a bearer token, or rejects it. A token is rejected if its user was merged into another account, or was deleted
-- at or after the time the token was issued. A token without an issue time is treated as older than any deletion.
-- The function also records whether the user is anonymous. The first token decides, even if a store named the user
-- before. A user who signs in is no longer anonymous. It creates the account of a new user if the token is anonymous,
-- or if a store message waits for the user; the message is then applied although the user bought nothing. Otherwise it
-- writes nothing.
-- p_account_token: the result of wallet.app_account_token for the user, if the caller has it; null to compute it here.
-- Returns the user's account and when it was opened; nulls for a user who had no account before.
-- Locks: the identity, when it changes. Codes: WL401 unauthenticated.
CREATE OR REPLACE FUNCTION wallet.admit_token(
    p_user_id TEXT,
    p_issued_at TIMESTAMPTZ,
    p_is_anonymous BOOLEAN,
    p_account_token UUID DEFAULT NULL,
    OUT account_id BIGINT,
    OUT opened_at TIMESTAMPTZ
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_user_id CONSTANT TEXT := wallet.canonical_user_id(p_user_id);
    v_known RECORD;
BEGIN
    SELECT i.user_id, i.account_id, i.is_anonymous, i.merged_at, a.created_at, d.deleted_at INTO STRICT v_known
    FROM (SELECT wallet.user_digest(v_user_id) AS user_digest) AS t
    LEFT JOIN wallet.identities AS i ON i.user_id = v_user_id
    LEFT JOIN wallet.accounts AS a ON i.account_id = a.account_id
    LEFT JOIN wallet.deleted_users AS d ON t.user_digest = d.user_digest;
    IF v_known.merged_at IS NOT NULL OR v_known.deleted_at >= coalesce(p_issued_at, '-infinity') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    END IF;
    account_id := v_known.account_id;
    opened_at := v_known.created_at;
    IF v_known.user_id IS NULL THEN
        p_account_token := coalesce(p_account_token, wallet.app_account_token(v_user_id));
        -- This uses count(*) because the planner would read all waiting messages to find the first match.
        IF
            p_is_anonymous OR (
                SELECT count(*) FROM wallet.inbox AS i
                WHERE i.status = 'awaiting_user' AND i.names && ARRAY[v_user_id, p_account_token::TEXT]
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
