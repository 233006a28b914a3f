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
