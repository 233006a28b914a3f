-- Returns the plan of a refused booking.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.payment_refusal(p_status INTEGER, p_slug TEXT, p_detail JSONB DEFAULT NULL)
RETURNS wallet.booking_plan LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
BEGIN
    v_plan.status := p_status;
    v_plan.slug := p_slug;
    v_plan.detail := p_detail;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.payment_refusal(INTEGER, TEXT, JSONB) IS 'Returns the plan of a refused booking.';
