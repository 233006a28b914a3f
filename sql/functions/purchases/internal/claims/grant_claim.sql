-- Grants a claim for the first time: copies the terms of its product, so that later edits do not change sold purchases,
-- and creates its lot. The caller sets the owner in p_claim.
-- The caller holds the claim and the wallet. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.grant_claim(p_claim wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_product CONSTANT wallet.products := wallet.product_of(p_claim);
    -- Both stores bill a commitment monthly. The amount of a plan of at most one month is already that of one billing
    -- period.
    v_commitment CONSTANT BIGINT := CASE
        WHEN v_product.grant_source = 'virtual_currency' OR v_product.unlimited THEN NULL
        WHEN v_product.commitment_amount IS NOT NULL THEN v_product.commitment_amount
        WHEN v_product.period::INTERVAL > INTERVAL '1 month' THEN v_product.amount + v_product.bonus
    END;
    v_claim wallet.claims;
    v_lot_id UUID;
BEGIN
    UPDATE wallet.claims AS c SET
        -- The purchase may be refunded before its owner is known.
        verdict = CASE WHEN c.refunded_millionths = 1000000 THEN 'refunded' ELSE 'granted' END,
        account_id = p_claim.account_id,
        product_id = v_product.product_id,
        grant_amount = CASE
            WHEN v_product.grant_source = 'virtual_currency' THEN c.reported_amount
            WHEN v_product.unlimited THEN 0
            WHEN c.period_type = 'trial' THEN v_product.trial_amount
            WHEN c.billing_periods IS NOT NULL AND v_commitment IS NOT NULL
                THEN wallet.period_share(v_commitment, c.billing_period, c.billing_periods)
            ELSE v_product.amount + v_product.bonus
        END,
        -- A trial has no price, even if later facts report otherwise.
        price_minor = CASE
            WHEN c.period_type = 'trial' THEN 0
            WHEN c.billing_periods IS NOT NULL AND v_commitment IS NOT NULL
                THEN wallet.period_share(v_product.price_minor, c.billing_period, c.billing_periods)
            ELSE v_product.price_minor
        END,
        commitment_amount = CASE WHEN c.period_type IS DISTINCT FROM 'trial' THEN v_commitment END,
        currency = v_product.currency,
        grants_reported_amount = v_product.grant_source = 'virtual_currency',
        rollover_percentage = v_product.rollover_percentage,
        rollover_cap = v_product.rollover_cap,
        subscription_group = v_product.subscription_group,
        valid_days = v_product.valid_days,
        grace_days = v_product.grace_days,
        tier = v_product.tier,
        entitlements = v_product.entitlements,
        unlimited = v_product.unlimited,
        days_ahead = v_product.days_ahead,
        granted_at = wallet.now()
    WHERE c.claim_id = p_claim.claim_id
    RETURNING c.* INTO v_claim;
    -- This comes before the lot is created: a released lot repays no debts of lots that its owner keeps.
    PERFORM wallet.keep_released(v_claim.claim_id);
    IF wallet.claim_worth(v_claim) > 0 THEN
        v_lot_id := wallet.open_lot(
            v_claim.account_id, v_claim.environment, 'grant', v_product.unit, v_product.kind,
            wallet.claim_worth(v_claim), wallet.lot_expiry(v_product, v_claim), v_product.product_id, v_claim.claim_id
        );
        PERFORM wallet.emit(
            'credits.granted', v_claim.account_id, v_claim.environment, v_claim.claim_id,
            p_details => jsonb_build_object('lot_id', v_lot_id, 'amount', wallet.claim_worth(v_claim))
        );
    END IF;
    RETURN v_claim;
END;
$$;
COMMENT ON FUNCTION wallet.grant_claim(wallet.claims) IS 'Grants a claim for the first time by its product''s terms.';
