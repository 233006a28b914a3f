-- Merges the account of an anonymous user into another user's account (rule 32): lots with their debts, claims,
-- subscriptions, bookings with their idempotency keys, waitlist entries, flags and blocks. If both accounts booked a
-- class, the anonymous account's booking is cancelled first. It returns in full unless the class has begun. Repeating
-- the call changes nothing. After the merge, the anonymous user's tokens are rejected.
-- p_from_issued_at, p_to_issued_at: when the two tokens were issued; null if a token has no issue time; infinity for
-- none. A token from before a deletion of its user creates no account. The caller has checked both tokens.
-- Locks: the anonymous account's claims, both accounts, the anonymous identity, the wallets, then seats (each by id).
-- Codes: WL401 unauthenticated, WL403 not-mergeable, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.merge_accounts(
    p_from_user TEXT,
    p_to_user TEXT,
    p_from_issued_at TIMESTAMPTZ DEFAULT 'infinity',
    p_to_issued_at TIMESTAMPTZ DEFAULT 'infinity'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_to CONSTANT BIGINT := wallet.caller_account(p_to_user, p_to_issued_at, FALSE);
    v_from CONSTANT BIGINT := wallet.account_for(p_from_user, TRUE);
    v_wallet RECORD;
BEGIN
    IF v_from = v_to THEN
        PERFORM wallet.await_standby();
        RETURN;
    END IF;
    PERFORM wallet.lock_account_and_claims(v_from, v_to);
    -- A user without any token so far is anonymous, as this first token states. This waits for a concurrent token,
    -- which then decides.
    PERFORM FROM wallet.identities AS i
    WHERE
        i.user_id = wallet.canonical_user_id(p_from_user) AND i.account_id = v_from AND i.is_anonymous IS NOT FALSE
        AND i.merged_at IS NULL
    FOR NO KEY UPDATE;
    IF NOT FOUND OR EXISTS (
        SELECT FROM wallet.deleted_users AS d
        WHERE
            d.user_digest = wallet.user_digest(p_from_user)
            AND d.deleted_at >= coalesce(p_from_issued_at, '-infinity')
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'not-mergeable';
    END IF;
    FOR v_wallet IN
        SELECT o.account_id, w.environment FROM wallet.wallets AS w
        CROSS JOIN LATERAL unnest(ARRAY[v_from, v_to]) AS o (account_id)
        WHERE w.account_id = v_from
        ORDER BY o.account_id, w.environment
    LOOP
        PERFORM wallet.lock_wallet(v_wallet.account_id, v_wallet.environment);
    END LOOP;
    PERFORM wallet.lock_merging_seats(v_from, v_to);
    PERFORM wallet.cancel_duplicate_bookings(v_from, v_to);
    PERFORM wallet.move_lots(v_from, v_to, w.environment, ARRAY(
        SELECT l.lot_id FROM wallet.lots AS l
        WHERE l.account_id = v_from AND l.environment = w.environment AND l.moved_to IS NULL
    )) FROM wallet.wallets AS w WHERE w.account_id = v_from;
    PERFORM wallet.move_records(v_from, v_to);
    PERFORM wallet.merge_waiting(v_from, v_to);
    UPDATE wallet.identities AS i SET
        account_id = v_to,
        merged_at = coalesce(i.merged_at, wallet.now()),
        merged_from = coalesce(i.merged_from, v_from)
    WHERE i.account_id = v_from;
    UPDATE wallet.accounts AS a SET merged_into = v_to WHERE v_from IN (a.account_id, a.merged_into);
END;
$$;
COMMENT ON FUNCTION wallet.merge_accounts(TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ) IS
'Merges the account of an anonymous user into another user''s account.';
