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
        unlimited, rollover_percentage, days_ahead, period_type, period_start, period_end, created_at, released_at
    ) VALUES (
        v_claim.account_id, v_claim.store, v_claim.environment, v_claim.chain_id, p_claim_id,
        v_claim.product_id, v_claim.tier, v_claim.entitlements, v_claim.unlimited,
        v_claim.rollover_percentage, v_claim.days_ahead, coalesce(v_claim.period_type, 'normal'),
        v_claim.purchased_at, v_claim.expires_at, wallet.now(),
        -- The owner may have released a period before it was granted.
        (
            SELECT min(c.released_at) FROM wallet.claims AS c
            WHERE
                c.account_id = v_claim.account_id AND c.store = v_claim.store AND c.environment = v_claim.environment
                AND c.kind = 'subscription' AND c.chain_id = v_claim.chain_id
        )
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
        PERFORM wallet.end_replaced(v_claim.account_id, v_claim.environment);
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
        grace_ends_at = wallet.grace_end(v_current),
        will_renew = wallet.period_renews(v_current),
        billing_issue = wallet.has_billing_issue(v_current),
        paused = coalesce(wallet.period_flag(v_current.claim_id, 'paused')::BOOLEAN, FALSE),
        ended = CASE
            WHEN wallet.period_flag(v_current.claim_id, 'revoked')::BOOLEAN THEN 'revoked'
            WHEN v_current.refunded_millionths = 1000000 THEN 'refunded'
            -- Two sources may round the same time to different milliseconds.
            WHEN wallet.period_flag(v_current.claim_id, 'expired_at')::TIMESTAMPTZ + INTERVAL '1 second'
                > v_current.expires_at THEN 'expired'
        END
    WHERE s.account_id = v_known.account_id AND s.subscription_id = v_known.subscription_id;
    PERFORM wallet.emit('subscription.transferred', s.account_id, s.environment, s.current_claim_id)
    FROM wallet.subscriptions AS s
    WHERE
        s.subscription_id = v_known.subscription_id AND s.account_id <> v_known.account_id AND s.released_at IS NULL
        AND v_known.announced IS NOT NULL;
    -- An account that no longer has the unlimited plan may have bookings paid by it.
    PERFORM wallet.check_cover(v_known.account_id, v_known.environment, TRUE)
    FROM wallet.subscriptions AS s
    WHERE
        s.subscription_id = v_known.subscription_id AND v_known.unlimited
        AND (s.account_id <> v_known.account_id OR NOT s.unlimited);
    PERFORM wallet.announce_subscription(v_known.subscription_id);
    PERFORM wallet.end_replaced(v_claim.account_id, v_claim.environment);
END;
$$;
COMMENT ON FUNCTION wallet.sync_subscription(BIGINT) IS 'Updates a subscription from its periods and their flags.';

-- Identifies a subscription by its first transaction once that is known, if it was identified by its only period so
-- far.
-- The caller holds the claim. Locks: the subscription's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.rename_subscription(p_claim wallet.claims) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old wallet.subscriptions;
    -- The name of a further product's chain includes the product, before and after.
    v_line CONSTANT TEXT := CASE p_claim.chain_line WHEN '' THEN '' ELSE ' ' || p_claim.chain_line END;
BEGIN
    IF p_claim.chain_id = p_claim.transaction_id || v_line OR p_claim.transaction_id IS NULL THEN
        RETURN;
    END IF;
    SELECT s.* INTO v_old FROM wallet.subscriptions AS s
    WHERE
        s.store = p_claim.store AND s.environment = p_claim.environment
        AND s.original_transaction_id = p_claim.transaction_id || v_line AND s.current_claim_id = p_claim.claim_id
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id = p_claim.chain_id
    ) THEN
        DELETE FROM wallet.subscriptions AS s WHERE s.subscription_id = v_old.subscription_id;
        PERFORM wallet.check_cover(v_old.account_id, v_old.environment, TRUE) WHERE v_old.unlimited;
    ELSE
        UPDATE wallet.subscriptions AS s SET original_transaction_id = p_claim.chain_id
        WHERE s.subscription_id = v_old.subscription_id;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.rename_subscription(wallet.claims) IS
'Identifies a subscription by its first transaction once that is known.';

-- Ends subscriptions of an account whose current period was replaced, and extends those whose current period no longer
-- is. On Google Play, an upgrade is a new subscription with a new original id, and the old one may have been reported
-- first.
-- The caller holds the owner's wallet. Locks: those subscriptions' rows, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.end_replaced(p_account_id BIGINT, p_environment wallet.environment) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_subscription_id BIGINT;
BEGIN
    FOR v_subscription_id IN
        SELECT s.subscription_id FROM wallet.claims AS c
        INNER JOIN wallet.subscriptions AS s
            ON
                c.store = s.store AND c.environment = s.environment AND c.chain_id = s.original_transaction_id
                AND c.claim_id = s.current_claim_id
        WHERE
            c.account_id = p_account_id AND c.environment = p_environment AND c.duplicate_of IS NULL
            AND (s.period_end, s.grace_ends_at, s.billing_issue)
            IS DISTINCT FROM (wallet.period_end(c), wallet.grace_end(c), wallet.has_billing_issue(c))
        ORDER BY s.subscription_id
    LOOP
        -- A concurrent renewal, for which this waits, may have changed the current period.
        PERFORM FROM wallet.subscriptions AS s WHERE s.subscription_id = v_subscription_id FOR UPDATE;
        UPDATE wallet.subscriptions AS s SET
            period_end = wallet.period_end(c),
            grace_ends_at = wallet.grace_end(c),
            billing_issue = wallet.has_billing_issue(c)
        FROM wallet.claims AS c
        WHERE
            s.subscription_id = v_subscription_id AND s.current_claim_id = c.claim_id
            AND (s.period_end, s.grace_ends_at, s.billing_issue)
            IS DISTINCT FROM (wallet.period_end(c), wallet.grace_end(c), wallet.has_billing_issue(c));
        PERFORM wallet.announce_subscription(v_subscription_id) WHERE FOUND;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.end_replaced(BIGINT, wallet.environment) IS
'Ends subscriptions of an account whose current period was replaced.';

-- Emits the changes of a subscription since its last event, and stores when the passing of time may change it again. If
-- an unlimited plan has no access, it inserts a check of the bookings that the plan paid.
-- The caller holds the subscription. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.announce_subscription(p_subscription_id BIGINT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.subscriptions;
    v_state wallet.subscription_states;
    v_types TEXT[] := '{}';
    v_type TEXT;
BEGIN
    SELECT s.* INTO STRICT v_known FROM wallet.subscriptions AS s WHERE s.subscription_id = p_subscription_id;
    SELECT s.* INTO v_state FROM wallet.subscription_states AS s
    WHERE s.account_id = v_known.account_id AND s.subscription_id = p_subscription_id;
    IF NOT FOUND THEN
        -- A released subscription has no user who could get the event.
        PERFORM wallet.check_cover(v_known.account_id, v_known.environment, FALSE) WHERE v_known.unlimited;
        UPDATE wallet.subscriptions AS s SET next_change_at = 'infinity'
        WHERE s.account_id = v_known.account_id AND s.subscription_id = p_subscription_id;
        RETURN;
    END IF;
    IF v_known.announced IS NULL THEN
        v_types := ARRAY['started'];
    ELSIF v_known.announced_period < v_state.period_start THEN
        v_types := ARRAY['renewed'];
    END IF;
    -- A renewal that has already ended when it is first reported emits its end too, even if the previous period had
    -- ended with the same status.
    IF
        (v_state.status IS DISTINCT FROM v_known.announced OR v_types = ARRAY['renewed'])
        AND v_state.status NOT IN ('trial', 'active')
    THEN
        v_types := v_types || CASE v_state.status
            WHEN 'billing_retry' THEN 'billing_failed'
            WHEN 'grace' THEN 'grace_started'
            ELSE v_state.status
        END;
    ELSIF
        v_state.status IN ('trial', 'active') AND v_known.announced NOT IN ('trial', 'active') AND v_types = '{}'
    THEN
        v_types := ARRAY['resumed'];
    END IF;
    IF v_state.will_renew IS DISTINCT FROM coalesce(v_known.announced_renewal, TRUE) THEN
        v_types := v_types || CASE WHEN v_state.will_renew THEN 'uncancelled' ELSE 'cancelled' END;
    END IF;
    FOREACH v_type IN ARRAY v_types LOOP
        PERFORM wallet.emit(
            'subscription.' || v_type, v_known.account_id, v_known.environment, v_known.current_claim_id,
            p_details => jsonb_build_object(
                'store', v_state.store, 'product_id', v_state.product_id, 'status', v_state.status,
                'tier', v_state.tier, 'period_start', wallet.rfc3339(v_state.period_start),
                'period_end', wallet.rfc3339(v_state.period_end),
                'grace_period_ends_at', wallet.rfc3339(v_state.grace_ends_at), 'will_renew', v_state.will_renew
            )
        );
    END LOOP;
    PERFORM wallet.check_cover(
        v_known.account_id, v_known.environment, v_state.status IS DISTINCT FROM v_known.announced
    ) WHERE v_state.unlimited AND NOT v_state.has_access;
    UPDATE wallet.subscriptions AS s SET
        announced = v_state.status,
        announced_renewal = v_state.will_renew,
        announced_period = greatest(s.announced_period, v_state.period_start),
        next_change_at = coalesce((
            SELECT min(b.boundary) FROM unnest(ARRAY[s.period_end, s.grace_ends_at]) AS b (boundary)
            WHERE b.boundary > wallet.now()
        ), 'infinity')
    WHERE s.account_id = v_known.account_id AND s.subscription_id = p_subscription_id;
END;
$$;
COMMENT ON FUNCTION wallet.announce_subscription(BIGINT) IS 'Emits the changes of a subscription since its last event.';
