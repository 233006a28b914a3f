-- Chooses what pays for a booking: as p_pay_with says (unlimited, visits, credits or a lot id), else an unlimited plan
-- (one seat only), then visits, then credits. A booking is paid in one unit.
-- Locks: none. Codes: 409 payment-not-accepted, 402 insufficient-credits in the answer.
CREATE OR REPLACE FUNCTION wallet.choose_payment(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class wallet.classes,
    p_seats INTEGER,
    p_pay_with TEXT
) RETURNS wallet.booking_plan LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
    v_lot_id UUID;
    v_units wallet.unit[] := ARRAY['visit', 'credit'];
    v_unit wallet.unit;
    v_shortages JSONB := '[]';
BEGIN
    IF p_pay_with IS NULL OR p_pay_with = 'unlimited' THEN
        IF p_seats = 1 AND wallet.has_unlimited(p_account_id, p_environment, p_class.starts_at) THEN
            v_plan.amount := 0;
            v_plan.lot_ids := '{}';
            v_plan.amounts := '{}';
            RETURN v_plan;
        ELSIF p_pay_with = 'unlimited' THEN
            RETURN wallet.no_plan(409, 'payment-not-accepted', jsonb_build_object('pay_with', p_pay_with));
        END IF;
    ELSIF p_pay_with = 'visits' THEN
        v_units := ARRAY['visit'];
    ELSIF p_pay_with = 'credits' THEN
        v_units := ARRAY['credit'];
    ELSE
        SELECT l.lot_id, ARRAY[l.unit] INTO v_lot_id, v_units FROM wallet.lots AS l
        WHERE l.account_id = p_account_id AND l.environment = p_environment AND l.lot_id::TEXT = lower(p_pay_with);
        IF NOT FOUND THEN
            RETURN wallet.no_plan(409, 'payment-not-accepted', jsonb_build_object('pay_with', p_pay_with));
        END IF;
    END IF;
    FOREACH v_unit IN ARRAY v_units LOOP
        IF wallet.price_in(p_class, v_unit) IS NOT NULL THEN
            v_plan := wallet.burn_plan(
                p_account_id, p_environment, v_unit, wallet.price_in(p_class, v_unit) * p_seats, p_class.starts_at,
                v_lot_id
            );
            EXIT WHEN v_plan.status IS NULL;
            v_shortages := v_shortages || v_plan.detail;
        END IF;
    END LOOP;
    IF v_plan IS NULL THEN
        RETURN wallet.no_plan(409, 'payment-not-accepted', jsonb_build_object('pay_with', p_pay_with));
    ELSIF v_plan.status IS NOT NULL THEN
        RETURN wallet.out_of_funds(v_shortages, p_seats, p_class.starts_at);
    END IF;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.choose_payment(BIGINT, wallet.environment, wallet.classes, INTEGER, TEXT) IS
'Chooses what pays for a booking.';
