-- Brings a subscription to what its periods and the newest flags say. The current period is the one with the newest
-- purchase instant (then the latest expiry); facts about older ones change nothing here.
-- Called by: wallet.apply_fact. Locks: the subscription's row; the caller holds the claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sync_subscription(p_claim_id BIGINT, p_fact JSONB) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_now_current wallet.claims;
    v_known wallet.subscriptions;
    v_product wallet.products;
    v_source_at CONSTANT TIMESTAMPTZ := (p_fact ->> 'source_at')::TIMESTAMPTZ;
    v_has_flags CONSTANT BOOLEAN := p_fact ?| ARRAY['will_renew', 'billing_issue', 'grace_ends_at'];
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    IF v_claim.kind <> 'subscription' OR v_claim.granted_at IS NULL OR v_claim.original_transaction_id IS NULL THEN
        RETURN;
    END IF;
    v_product := wallet.product_of(v_claim);
    INSERT INTO wallet.subscriptions (
        account_id, store, environment, original_transaction_id, current_claim_id, product_id, tier, entitlements,
        unlimited, rollover_percentage, period_type, period_start, period_end, flags_source_at, created_at
    ) VALUES (
        v_claim.account_id, v_claim.store, v_claim.environment, v_claim.original_transaction_id, p_claim_id,
        v_claim.product_id, v_product.tier, v_product.entitlements, v_product.unlimited,
        v_product.rollover_percentage, coalesce(v_claim.period_type, 'normal'), v_claim.purchased_at,
        coalesce(v_claim.expires_at, v_claim.purchased_at), '-infinity', wallet.now()
    ) ON CONFLICT (store, environment, original_transaction_id) DO NOTHING;
    SELECT s.* INTO STRICT v_known FROM wallet.subscriptions AS s
    WHERE
        s.store = v_claim.store AND s.environment = v_claim.environment
        AND s.original_transaction_id = v_claim.original_transaction_id
    FOR UPDATE;

    SELECT c.* INTO STRICT v_now_current FROM wallet.claims AS c
    WHERE
        c.store = v_claim.store AND c.environment = v_claim.environment AND c.kind = 'subscription'
        AND c.original_transaction_id = v_claim.original_transaction_id
        AND c.granted_at IS NOT NULL AND c.duplicate_of IS NULL
    ORDER BY c.purchased_at DESC, c.expires_at DESC, c.claim_id DESC
    LIMIT 1;
    IF v_known.current_claim_id <> v_now_current.claim_id THEN
        -- A new period brings its own terms, and clears the flags that are not newer than itself.
        v_product := wallet.product_of(v_now_current);
        UPDATE wallet.subscriptions AS s SET
            tier = v_product.tier,
            entitlements = v_product.entitlements,
            unlimited = v_product.unlimited,
            rollover_percentage = v_product.rollover_percentage,
            will_renew = s.will_renew OR s.flags_source_at <= v_now_current.purchased_at,
            billing_issue = s.billing_issue AND s.flags_source_at > v_now_current.purchased_at,
            grace_ends_at = CASE WHEN s.flags_source_at > v_now_current.purchased_at THEN s.grace_ends_at END
        WHERE s.account_id = v_known.account_id AND s.subscription_id = v_known.subscription_id;
    END IF;
    UPDATE wallet.subscriptions AS s SET
        current_claim_id = v_now_current.claim_id,
        product_id = v_now_current.product_id,
        period_type = coalesce(v_now_current.period_type, 'normal'),
        period_start = v_now_current.purchased_at,
        period_end = coalesce(v_now_current.expires_at, v_now_current.purchased_at),
        ended = CASE WHEN v_now_current.refunded_millionths = 1000000 THEN 'refunded' END
    WHERE s.account_id = v_known.account_id AND s.subscription_id = v_known.subscription_id;
    UPDATE wallet.subscriptions AS s SET
        will_renew = coalesce((p_fact ->> 'will_renew')::BOOLEAN, s.will_renew),
        billing_issue = coalesce((p_fact ->> 'billing_issue')::BOOLEAN, s.billing_issue),
        grace_ends_at = (p_fact ->> 'grace_ends_at')::TIMESTAMPTZ,
        flags_source_at = v_source_at
    WHERE
        v_has_flags AND v_now_current.claim_id = p_claim_id AND v_source_at >= s.flags_source_at
        AND s.account_id = v_known.account_id AND s.subscription_id = v_known.subscription_id;
END;
$$;
COMMENT ON FUNCTION wallet.sync_subscription(BIGINT, JSONB) IS
'Brings a subscription to what its periods and the newest flags say.';
