-- Returns how much of a period's unused amount rolls over: the percentage, rounded down, up to the cap.
-- p_left: the amount neither spent nor refunded; a negative amount is treated as 0.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.rollover_worth(p_percentage INTEGER, p_cap BIGINT, p_left BIGINT) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN least(p_percentage * greatest(p_left, 0) / 100, p_cap);
END;
$$;
COMMENT ON FUNCTION wallet.rollover_worth(INTEGER, BIGINT, BIGINT) IS
'Returns how much of a period''s unused amount rolls over.';
