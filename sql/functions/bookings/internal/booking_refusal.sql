-- Returns the answer to a refused item.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.booking_refusal(
    p_status INTEGER, p_slug TEXT, p_detail JSONB
) RETURNS wallet.booking_outcome
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.booking_outcome;
BEGIN
    v_outcome.status := p_status;
    v_outcome.slug := p_slug;
    v_outcome.detail := p_detail;
    v_outcome.replayed := FALSE;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.booking_refusal(INTEGER, TEXT, JSONB) IS 'Returns the answer to a refused item.';
