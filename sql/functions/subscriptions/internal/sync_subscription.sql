-- Updates a subscription from its periods and their flags. The current period is the one with the latest purchase time
-- (then the latest end); facts and flags of older periods change nothing here. The subscription belongs to the owner of
-- the current period, unless a store has transferred it since. If it moves to an account that was deleted, it becomes
-- released.
-- Locks: the subscription's row, then without waiting the account that it moves to; the caller holds the claim. Codes:
-- WL503 wallet-busy if that account is being merged or deleted.
CREATE OR REPLACE FUNCTION wallet.sync_subscription(p_claim_id BIGINT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_current wallet.claims;
    v_known wallet.subscriptions;
    v_owner wallet.accounts;
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    IF v_claim.kind <> 'subscription' OR v_claim.granted_at IS NULL OR v_claim.chain_id IS NULL THEN
        RETURN;
    END IF;
    PERFORM wallet.rename_subscription(v_claim);
    INSERT INTO wallet.subscriptions (
        account_id, store, environment, original_transaction_id, current_claim_id, product_id, tier, entitlements,
        unlimited, rollover_percentage, days_ahead, period_type, period_start, period_end, created_at
    ) VALUES (
        v_claim.account_id, v_claim.store, v_claim.environment, v_claim.chain_id, p_claim_id,
        v_claim.product_id, v_claim.tier, v_claim.entitlements, v_claim.unlimited,
        v_claim.rollover_percentage, v_claim.days_ahead, coalesce(v_claim.period_type, 'normal'),
        v_claim.purchased_at, v_claim.expires_at, wallet.now()
    ) ON CONFLICT (store, environment, original_transaction_id) DO NOTHING;
    SELECT s.* INTO STRICT v_known FROM wallet.subscriptions AS s
    WHERE
        s.store = v_claim.store AND s.environment = v_claim.environment
        AND s.original_transaction_id = v_claim.chain_id
    FOR UPDATE;

    SELECT c.* INTO v_current FROM wallet.claims AS c
    WHERE
        c.store = v_claim.store AND c.environment = v_claim.environment AND c.kind = 'subscription'
        AND c.chain_id = v_claim.chain_id
        AND c.granted_at IS NOT NULL AND c.duplicate_of IS NULL
    ORDER BY c.purchased_at DESC, c.expires_at DESC, c.transaction_id DESC
    LIMIT 1;
    IF NOT FOUND THEN
        -- All its periods turned out to belong to another subscription.
        UPDATE wallet.subscriptions AS s SET ended = 'revoked'
        WHERE s.account_id = v_known.account_id AND s.subscription_id = v_known.subscription_id;
        PERFORM wallet.announce_subscription(v_known.subscription_id);
        RETURN;
    END IF;
    SELECT a.* INTO STRICT v_owner FROM wallet.accounts AS a WHERE a.account_id = wallet.transferred_to(v_current);
    IF v_owner.account_id <> v_known.account_id THEN
        SELECT a.* INTO v_owner FROM wallet.accounts AS a
        WHERE a.account_id = v_owner.account_id
        FOR SHARE SKIP LOCKED;
        IF NOT FOUND OR v_owner.merged_into IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
        END IF;
    END IF;
    UPDATE wallet.subscriptions AS s SET
        account_id = v_owner.account_id,
        -- A subscription that stays with its account keeps its release. If a new period or a transfer moves it to
        -- another account, it is not released, unless that account released the period meanwhile.
        released_at = CASE
            WHEN s.account_id = v_owner.account_id THEN s.released_at
            WHEN v_owner.deleted_at IS NOT NULL THEN wallet.now()
            WHEN v_current.account_id = v_owner.account_id THEN v_current.released_at
        END,
        current_claim_id = v_current.claim_id,
        product_id = v_current.product_id,
        -- A period keeps the terms of its purchase; later edits of the plan do not change them.
        tier = v_current.tier,
        entitlements = v_current.entitlements,
        unlimited = v_current.unlimited,
        rollover_percentage = v_current.rollover_percentage,
        days_ahead = v_current.days_ahead,
        period_type = coalesce(v_current.period_type, 'normal'),
        period_start = v_current.purchased_at,
        period_end = wallet.period_end(v_current),
        grace_ends_at = wallet.period_flag(v_current.claim_id, 'grace_ends_at')::TIMESTAMPTZ,
        will_renew = wallet.period_renews(v_current),
        billing_issue = coalesce(wallet.period_flag(v_current.claim_id, 'billing_issue')::BOOLEAN, FALSE),
        paused = coalesce(wallet.period_flag(v_current.claim_id, 'paused')::BOOLEAN, FALSE),
        ended = CASE
            WHEN wallet.period_flag(v_current.claim_id, 'revoked')::BOOLEAN THEN 'revoked'
            WHEN v_current.refunded_millionths = 1000000 THEN 'refunded'
            -- Two sources may round the same time to different milliseconds.
            WHEN wallet.period_flag(v_current.claim_id, 'expired_at')::TIMESTAMPTZ + INTERVAL '1 second'
                > v_current.expires_at THEN 'expired'
        END
    WHERE s.account_id = v_known.account_id AND s.subscription_id = v_known.subscription_id;
    -- An account that no longer has the unlimited plan may have bookings paid by it.
    PERFORM wallet.check_cover(v_known.account_id, v_known.environment, TRUE)
    FROM wallet.subscriptions AS s
    WHERE
        s.subscription_id = v_known.subscription_id AND v_known.unlimited
        AND (s.account_id <> v_known.account_id OR NOT s.unlimited);
    PERFORM wallet.announce_subscription(v_known.subscription_id);
    PERFORM wallet.end_replaced(v_claim);
END;
$$;
COMMENT ON FUNCTION wallet.sync_subscription(BIGINT) IS 'Updates a subscription from its periods and their flags.';
