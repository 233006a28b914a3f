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
    -- The seats of every class that the merge may change, in one statement and one order: classes that the first account
    -- has booked, for which the second may be joining the waitlist, and classes for which either account waits.
    PERFORM FROM wallet.class_seats AS s
    WHERE (s.class_id, s.environment) IN (
        SELECT w.class_id, w.environment FROM wallet.waitlist AS w WHERE w.account_id IN (v_from, v_to)
        UNION ALL
        SELECT b.class_id, b.environment FROM wallet.bookings AS b
        WHERE b.account_id = v_from AND b.cancelled_at IS NULL
    )
    ORDER BY s.class_id, s.environment
    FOR UPDATE OF s;
    PERFORM wallet.cancel_duplicate_bookings(v_from, v_to);
    PERFORM wallet.move_lots(v_from, v_to, w.environment, ARRAY(
        SELECT l.lot_id FROM wallet.lots AS l
        WHERE l.account_id = v_from AND l.environment = w.environment AND l.moved_to IS NULL
    )) FROM wallet.wallets AS w WHERE w.account_id = v_from;
    PERFORM wallet.move_records(v_from, v_to);
    PERFORM wallet.sync_periods(v_to, w.environment) FROM wallet.wallets AS w WHERE w.account_id = v_from;
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

-- Moves all records of one account to another, except its lots and ledger. An idempotency key that both accounts used
-- stays with the second account. The caller holds both accounts and their wallets.
-- Locks: the rows it changes. Codes: none.
CREATE OR REPLACE FUNCTION wallet.move_records(p_from BIGINT, p_to BIGINT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_subscription wallet.subscriptions;
BEGIN
    -- A subscription that a store transferred away from the account earlier is not affected.
    UPDATE wallet.claims AS c SET account_id = p_to, subscriber_id = coalesce(c.subscriber_id, p_from)
    WHERE c.account_id = p_from;
    INSERT INTO wallet.subscription_transfers (environment, from_account_id, to_account_id, at, is_merge)
    SELECT e.environment, p_from, p_to, wallet.now(), TRUE
    FROM unnest(enum_range(NULL::wallet.environment)) AS e (environment)
    ON CONFLICT (from_account_id, environment, at, to_account_id) DO UPDATE SET is_merge = TRUE;
    FOR v_subscription IN
        UPDATE wallet.subscriptions AS s SET account_id = p_to WHERE s.account_id = p_from RETURNING s.*
    LOOP
        PERFORM wallet.emit(
            'subscription.transferred', p_to, v_subscription.environment, v_subscription.current_claim_id
        );
    END LOOP;
    -- One account may have released the current period, while the other one had the subscription.
    FOR v_subscription IN
        UPDATE wallet.subscriptions AS s SET released_at = c.released_at FROM wallet.claims AS c
        WHERE
            s.account_id = p_to AND s.current_claim_id = c.claim_id AND c.account_id = p_to
            AND (s.released_at IS NULL) <> (c.released_at IS NULL)
        RETURNING s.*
    LOOP
        PERFORM wallet.announce_subscription(v_subscription.subscription_id);
    END LOOP;
    -- This runs after the subscriptions, so that a concurrent announcement has already inserted its check.
    UPDATE wallet.cover_checks AS c SET account_id = p_to WHERE c.account_id = p_from;
    UPDATE wallet.bookings AS b SET
        account_id = p_to,
        ledger_account_id = coalesce(b.ledger_account_id, p_from),
        idempotency_key = CASE WHEN EXISTS (
            SELECT FROM wallet.bookings AS o
            WHERE
                o.account_id = p_to AND o.environment = b.environment AND o.idempotency_key = b.idempotency_key
        ) THEN NULL ELSE b.idempotency_key END
    WHERE b.account_id = p_from;
    UPDATE wallet.attendances AS t SET account_id = p_to WHERE t.account_id = p_from;
    UPDATE wallet.consequences AS q SET account_id = p_to WHERE q.account_id = p_from;
    UPDATE wallet.wallets AS w SET blocked_until = '-infinity'
    WHERE w.account_id = p_from AND w.blocked_until > '-infinity';
    PERFORM wallet.renew_block(p_to, w.environment) FROM wallet.wallets AS w WHERE w.account_id = p_from;
    -- Each account keeps one open flag of a kind: the second account's flag takes both counts.
    WITH doubles AS (
        DELETE FROM wallet.review_flags AS f USING wallet.review_flags AS o
        WHERE
            f.account_id = p_from AND f.resolved_at IS NULL AND o.account_id = p_to AND o.resolved_at IS NULL
            AND f.environment = o.environment AND f.app_transaction_id IS NOT DISTINCT FROM o.app_transaction_id
        RETURNING o.flag_id, f.refunds
    )

    UPDATE wallet.review_flags AS o SET refunds = o.refunds + d.refunds FROM doubles AS d WHERE o.flag_id = d.flag_id;
    UPDATE wallet.review_flags AS f SET account_id = p_to WHERE f.account_id = p_from;
    UPDATE wallet.accounts AS a SET blocked_at = least(a.blocked_at, f.blocked_at)
    FROM wallet.accounts AS f
    WHERE a.account_id = p_to AND f.account_id = p_from AND f.blocked_at IS NOT NULL;
    INSERT INTO wallet.testers (account_id, created_at)
    SELECT p_to, t.created_at FROM wallet.testers AS t WHERE t.account_id = p_from
    ON CONFLICT (account_id) DO NOTHING;
    DELETE FROM wallet.testers AS t WHERE t.account_id = p_from;
    INSERT INTO wallet.profiles AS p (account_id, name, name_source, email, email_source)
    SELECT p_to, f.name, f.name_source, f.email, f.email_source FROM wallet.profiles AS f WHERE f.account_id = p_from
    ON CONFLICT (account_id) DO UPDATE SET
        name = coalesce(p.name, excluded.name),
        name_source = coalesce(p.name_source, excluded.name_source),
        email = coalesce(p.email, excluded.email),
        email_source = coalesce(p.email_source, excluded.email_source);
    DELETE FROM wallet.profiles AS p WHERE p.account_id = p_from;
END;
$$;
COMMENT ON FUNCTION wallet.move_records(BIGINT, BIGINT) IS
'Moves all records of one account to another, except its lots and ledger.';
