-- Returns how much of what a period left rolls over by its terms: their percentage, rounded down, up to their cap.
-- p_left: what was granted and neither spent nor refunded; below zero it is nothing.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.rollover_worth(p_percentage INTEGER, p_cap BIGINT, p_left BIGINT) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN least(p_percentage * greatest(p_left, 0) / 100, p_cap);
END;
$$;
COMMENT ON FUNCTION wallet.rollover_worth(INTEGER, BIGINT, BIGINT) IS 'How much of what a period left rolls over.';
