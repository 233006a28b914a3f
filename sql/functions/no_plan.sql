-- Makes the plan of a booking that is refused.
-- Called by: wallet.plan_booking, wallet.choose_payment. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.no_plan(p_status integer, p_slug text, p_detail jsonb DEFAULT NULL)
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
COMMENT ON FUNCTION wallet.no_plan(integer, text, jsonb) IS 'The plan of a booking that is refused.';
