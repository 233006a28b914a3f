-- Returns what one billing period of a commitment grants of the whole: all periods together grant exactly the whole,
-- and the first k of n together k n-ths of it, rounded down.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_share(p_whole BIGINT, p_period INTEGER, p_periods INTEGER) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_whole * p_period / p_periods - p_whole * (p_period - 1) / p_periods;
END;
$$;
COMMENT ON FUNCTION wallet.period_share(BIGINT, INTEGER, INTEGER) IS
'What one billing period of a commitment grants of the whole.';
