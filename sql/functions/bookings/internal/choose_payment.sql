-- Chooses how a booking is paid. If pay_with is set (unlimited, visits, credits or a lot id), it decides. Otherwise an
-- unlimited plan pays (one seat only), then visits, then credits. A booking is paid in one unit, from its lots in burn
-- order.
-- The function has no SET clauses, because applying them would double its cost; every name in it is qualified.
-- p_left: the remaining amount of each lot of the item, after the earlier items of the batch.
-- Locks: none. Codes, in the answer: 409 payment-not-accepted, 402 insufficient-credits, 409 price-changed.
CREATE OR REPLACE FUNCTION wallet.choose_payment(p_item wallet.batch_item, p_left BIGINT[])
RETURNS wallet.booking_plan LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_plan wallet.booking_plan;
    v_units wallet.unit[] := '{visit,credit}';
    v_lot_id UUID;
    v_unit wallet.unit;
    v_price BIGINT;
    v_missing BIGINT;
    v_shortages JSONB := '[]';
BEGIN
    v_plan.lot_ids := '{}';
    v_plan.amounts := '{}';
    v_plan.amount := 0;
    IF p_item.is_unlimited AND coalesce(p_item.pay_with, 'unlimited') = 'unlimited' THEN
        RETURN v_plan;
    ELSIF p_item.pay_with = 'visits' THEN
        v_units := '{visit}';
    ELSIF p_item.pay_with = 'credits' THEN
        v_units := '{credit}';
    ELSIF p_item.pay_with IS NOT NULL THEN
        -- The unit is null if the id is not a lot of the wallet. A lot that is used up still has its unit.
        SELECT l.lot_id, ARRAY[l.unit] INTO v_lot_id, v_units FROM wallet.lots AS l
        WHERE
            l.account_id = p_item.account_id AND l.environment = p_item.environment
            AND l.lot_id::TEXT = lower(p_item.pay_with);
    END IF;
    FOREACH v_unit IN ARRAY coalesce(v_units, '{}') LOOP
        v_price := CASE v_unit WHEN 'credit' THEN p_item.price_credits ELSE p_item.price_visits END;
        CONTINUE WHEN v_price IS NULL;
        v_plan.unit := v_unit;
        v_plan.amount := v_price * p_item.seats;
        v_missing := v_plan.amount;
        FOR v_lot IN 1 .. coalesce(cardinality(p_left), 0) LOOP
            EXIT WHEN v_missing = 0;
            CONTINUE WHEN
                p_item.lot_units[v_lot] <> v_unit OR p_left[v_lot] = 0 OR p_item.lot_ids[v_lot] <> v_lot_id;
            v_plan.lot_ids := v_plan.lot_ids || p_item.lot_ids[v_lot];
            v_plan.amounts := v_plan.amounts || least(p_left[v_lot], v_missing);
            v_missing := v_missing - least(p_left[v_lot], v_missing);
        END LOOP;
        IF v_missing = 0 AND v_plan.amount > p_item.max_amount THEN
            RETURN wallet.payment_refusal(
                409, 'price-changed', jsonb_build_object('amount', v_plan.amount, 'max_amount', p_item.max_amount)
            );
        ELSIF v_missing = 0 THEN
            RETURN v_plan;
        END IF;
        v_plan.lot_ids := '{}';
        v_plan.amounts := '{}';
        v_shortages := v_shortages || jsonb_build_object(
            'unit', v_unit, 'required', v_plan.amount, 'available', v_plan.amount - v_missing, 'needed', v_missing
        );
    END LOOP;
    IF v_shortages = '[]' THEN
        RETURN wallet.payment_refusal(409, 'payment-not-accepted', jsonb_build_object('pay_with', p_item.pay_with));
    END IF;
    RETURN wallet.insufficient_credits(v_shortages, p_item.seats, p_item.starts_at);
END;
$$;
COMMENT ON FUNCTION wallet.choose_payment(wallet.batch_item, BIGINT[]) IS 'Chooses how a booking is paid.';
