-- Returns the share of a commitment's total that one billing period grants. All n periods together grant exactly the
-- total, and the first k together grant k/n of it, rounded down.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_share(p_whole BIGINT, p_period INTEGER, p_periods INTEGER) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_whole * p_period / p_periods - p_whole * (p_period - 1) / p_periods;
END;
$$;
COMMENT ON FUNCTION wallet.period_share(BIGINT, INTEGER, INTEGER) IS
'Returns the share of a commitment''s total that one billing period grants.';
