-- Returns the refusal for insufficient credits or visits: the shortage of every unit that was tried, the last one in
-- detail, and offers to buy.
-- p_shortages: [{"unit", "required", "available", "needed"}] in the order in which the units were tried.
-- Locks: none. Codes: 402 insufficient-credits in the answer.
CREATE OR REPLACE FUNCTION wallet.insufficient_credits(
    p_shortages JSONB,
    p_seats INTEGER DEFAULT NULL,
    p_starts_at TIMESTAMPTZ DEFAULT NULL
) RETURNS wallet.booking_plan LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_last CONSTANT JSONB := p_shortages -> -1;
BEGIN
    RETURN wallet.payment_refusal(402, 'insufficient-credits', jsonb_build_object(
        'unit', v_last -> 'unit',
        'credits_required', v_last -> 'required',
        'credits_available', v_last -> 'available',
        'credits_needed', v_last -> 'needed',
        'shortages', p_shortages,
        'offers', wallet.offers_for((
            SELECT jsonb_object_agg(s.shortage ->> 'unit', s.shortage -> 'needed')
            FROM jsonb_array_elements(p_shortages) AS s (shortage)
        ), p_seats, p_starts_at)
    ));
END;
$$;
COMMENT ON FUNCTION wallet.insufficient_credits(JSONB, INTEGER, TIMESTAMPTZ) IS
'Returns the refusal for insufficient credits or visits, with offers to buy.';
