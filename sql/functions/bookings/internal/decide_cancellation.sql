-- Decides whether a booking can be cancelled and how much returns to which lots. Until the booking's own deadline,
-- every amount returns to the lot that paid it; later, nothing returns. A cancellation by the studio always returns
-- everything. A cancellation by the wallet returns everything until the class begins.
-- Locks: none. Codes, in the answer: 404 booking-not-found, 409 not-cancellable.
CREATE OR REPLACE FUNCTION wallet.decide_cancellation(p_item wallet.batch_item, p_now TIMESTAMPTZ)
RETURNS wallet.booking_plan LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
BEGIN
    IF p_item.class_id IS NULL THEN
        RETURN wallet.payment_refusal(404, 'booking-not-found');
    ELSIF p_item.cancelled_by = 'user' AND p_now >= p_item.starts_at THEN
        RETURN wallet.payment_refusal(409, 'not-cancellable');
    END IF;
    v_plan.unit := p_item.unit;
    v_plan.amount := 0;
    v_plan.lot_ids := '{}';
    v_plan.amounts := '{}';
    IF
        p_item.cancelled_by = 'studio' OR p_now <= p_item.free_until
        OR (p_item.cancelled_by = 'wallet' AND p_now < p_item.starts_at)
    THEN
        v_plan.amount := p_item.amount;
        v_plan.lot_ids := p_item.lot_ids;
        v_plan.amounts := p_item.lot_amounts;
    END IF;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.decide_cancellation(wallet.batch_item, TIMESTAMPTZ) IS
'Decides whether a booking can be cancelled, and how much returns.';
