-- Deletes a user (rule 33). It erases the user's id and personal text and cancels upcoming bookings by their policy.
-- Gifts, adjustments and imported balances lapse. Purchases are released with their debts, for a user who proves them
-- later. A user never seen before is recorded as deleted too, so that an older token creates no account.
-- p_issued_at: when the user's token was issued; null if the token has no issue time; infinity for a caller without a
-- token.
-- Locks: the identity of a user never seen, to wait for a transaction that creates it at the same time; the messages
-- that name the user, because a transaction that applies a message locks it first; the account's claims, the account,
-- its wallets, the seats of its bookings' classes (each by id), then its subscriptions.
-- Codes: WL401 unauthenticated (a token from before an earlier deletion), WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.delete_account(p_user_id TEXT, p_issued_at TIMESTAMPTZ DEFAULT 'infinity')
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id CONSTANT BIGINT := wallet.caller_account(p_user_id, p_issued_at, NULL);
    v_account wallet.accounts;
    v_now TIMESTAMPTZ;
BEGIN
    PERFORM FROM wallet.inbox AS i
    WHERE i.names && ARRAY(
        SELECT unnest(ARRAY[o.user_id, o.app_account_token::TEXT]) FROM wallet.identities AS o
        WHERE o.account_id = v_account_id
    )
    ORDER BY i.inbox_id
    FOR UPDATE;
    -- A transaction that holds one of the wallets may need key-share locks on the account and its claims. These locks
    -- do not block it.
    PERFORM wallet.lock_account_and_claims(v_account_id);
    SELECT a.* INTO STRICT v_account FROM wallet.accounts AS a WHERE a.account_id = v_account_id;
    IF v_account.deleted_at IS NOT NULL THEN
        -- Another deletion committed first. Later changes, such as the user's return, are not undone.
        RETURN;
    ELSIF v_account.merged_into IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    PERFORM wallet.lock_wallet(w.account_id, w.environment) FROM (
        SELECT o.account_id, o.environment FROM wallet.wallets AS o WHERE o.account_id = v_account_id
        ORDER BY o.environment
    ) AS w;
    PERFORM wallet.cancel_upcoming(v_account_id);
    v_now := wallet.now();
    -- Amounts that return to these lots later lapse immediately, too.
    UPDATE wallet.lots AS l SET expires_at = least(l.expires_at, v_now)
    WHERE l.account_id = v_account_id AND l.source IN ('promo', 'adjustment', 'import') AND l.moved_to IS NULL;
    PERFORM wallet.lapse_due(w.account_id, w.environment) FROM wallet.wallets AS w
    WHERE w.account_id = v_account_id;
    UPDATE wallet.lots AS l SET released_at = v_now
    WHERE
        l.account_id = v_account_id AND l.source NOT IN ('promo', 'adjustment', 'import') AND l.moved_to IS NULL
        AND l.released_at IS NULL;
    UPDATE wallet.claims AS c SET released_at = v_now
    WHERE c.account_id = v_account_id AND c.released_at IS NULL;
    UPDATE wallet.subscriptions AS s SET released_at = v_now
    WHERE s.account_id = v_account_id AND s.released_at IS NULL;
    UPDATE wallet.accounts AS a SET deleted_at = v_now WHERE a.account_id = v_account_id;
    IF p_issued_at = 'infinity' THEN
        -- Without a token, an administrator deletes the account. The texts of this audit row are erased with the
        -- user's; the role stays.
        PERFORM wallet.record_action(
            NULL, 'delete-account', 'user', NULL, '{}', '{"deleted": true}', v_account_id
        );
    END IF;
    PERFORM wallet.erase_user(v_account_id);
    INSERT INTO wallet.deleted_users (user_digest, deleted_at)
    VALUES (wallet.user_digest(p_user_id), clock_timestamp())
    ON CONFLICT (user_digest) DO UPDATE SET deleted_at = excluded.deleted_at;
END;
$$;
COMMENT ON FUNCTION wallet.delete_account(TEXT, TIMESTAMPTZ) IS
'Deletes a user: erases personal text, lapses gifts, and releases purchases for a user who proves them.';
