-- Selects the lots that pay an amount without a booking, in burn order: soonest expiry first, lots without expiry last,
-- then lot id. A lot pays only if it expires after p_valid_at.
-- If the lots are insufficient, the detail contains the shortage: {"unit", "required", "available", "needed"}.
-- Locks: none. Codes: 402 insufficient-credits in the answer.
CREATE OR REPLACE FUNCTION wallet.allocate_lots(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_unit wallet.unit,
    p_amount BIGINT,
    p_valid_at TIMESTAMPTZ
) RETURNS wallet.booking_plan LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
    v_lot RECORD;
    v_left BIGINT := p_amount;
BEGIN
    v_plan.unit := p_unit;
    v_plan.amount := p_amount;
    v_plan.lot_ids := '{}';
    v_plan.amounts := '{}';
    FOR v_lot IN
        SELECT l.lot_id, l.remaining FROM wallet.lots AS l
        WHERE
            l.account_id = p_account_id AND l.environment = p_environment AND l.unit = p_unit AND l.is_open
            AND l.expires_at > p_valid_at AND l.expires_at > (SELECT wallet.now())
        ORDER BY l.expires_at, l.lot_id
    LOOP
        v_plan.lot_ids := v_plan.lot_ids || v_lot.lot_id;
        v_plan.amounts := v_plan.amounts || least(v_lot.remaining, v_left);
        v_left := v_left - least(v_lot.remaining, v_left);
        EXIT WHEN v_left = 0;
    END LOOP;
    IF v_left > 0 THEN
        v_plan.status := 402;
        v_plan.slug := 'insufficient-credits';
        v_plan.detail := jsonb_build_object(
            'unit', p_unit, 'required', p_amount, 'available', p_amount - v_left, 'needed', v_left
        );
    END IF;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.allocate_lots(BIGINT, wallet.environment, wallet.unit, BIGINT, TIMESTAMPTZ) IS
'Selects the lots that pay an amount, in burn order.';
