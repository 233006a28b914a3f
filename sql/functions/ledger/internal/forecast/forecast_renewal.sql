-- Renews a plan in a forecast at the end of its period: grants the plan's amount until p_next_end, then applies the
-- rollover from the previous period.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_renewal(
    p_lots wallet.forecast_lot[],
    p_plan wallet.forecast_plan,
    p_next_end TIMESTAMPTZ
) RETURNS wallet.forecast_lot[] LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lots wallet.forecast_lot[] := p_lots;
    v_lot wallet.forecast_lot;
    v_own INTEGER;
    v_grants CONSTANT BIGINT := CASE
        WHEN p_plan.shares THEN wallet.period_share(p_plan.grants, p_plan.billing_period, p_plan.billing_periods)
        ELSE p_plan.grants
    END;
BEGIN
    FOR v_place IN 1 .. cardinality(v_lots) LOOP
        IF v_lots[v_place].claim_id = p_plan.claim_id THEN
            v_own := v_place;
            v_lots[v_place].next_ends_at := p_next_end;
            v_lots[v_place].next_product_id := (p_plan.product).product_id;
        END IF;
    END LOOP;
    IF v_grants > 0 THEN
        v_lot.lot_id := md5('subscription ' || p_plan.subscription_id || ' until ' || p_next_end)::UUID;
        v_lot.unit := (p_plan.product).unit;
        v_lot.source := 'plan';
        v_lot.product_id := (p_plan.product).product_id;
        v_lot.granted := v_grants;
        v_lot.spent := 0;
        v_lot.refunded := 0;
        v_lot.remaining := v_grants;
        v_lot.owed := 0;
        v_lot.expires_at := p_next_end;
        v_lot.released := FALSE;
        -- Claim ids start at 1, so a future period uses the negative id of its subscription.
        v_lot.claim_id := -p_plan.subscription_id;
        v_lot.rollover_percentage := (p_plan.product).rollover_percentage;
        v_lot.rollover_cap := (p_plan.product).rollover_cap;
        v_lot.period_ends_at := p_next_end;
        v_lots := wallet.forecast_grant(v_lots, v_lot);
    END IF;
    IF v_own IS NOT NULL THEN
        v_lots := wallet.forecast_rollover(v_lots, v_own, p_plan.period_ends_at);
    END IF;
    RETURN v_lots;
END;
$$;
COMMENT ON FUNCTION wallet.forecast_renewal(wallet.forecast_lot[], wallet.forecast_plan, TIMESTAMPTZ) IS
'Renews a plan in a forecast.';
