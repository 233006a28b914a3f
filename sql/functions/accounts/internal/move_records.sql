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
END;
$$;
COMMENT ON FUNCTION wallet.move_records(BIGINT, BIGINT) IS
'Moves all records of one account to another, except its lots and ledger.';
