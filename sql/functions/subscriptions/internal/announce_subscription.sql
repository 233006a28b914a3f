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
        v_types := v_types || CASE v_state.status WHEN 'billing_retry' THEN 'billing_issue' ELSE v_state.status END;
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
