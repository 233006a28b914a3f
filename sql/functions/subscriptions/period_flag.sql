-- Returns the newest value of one flag of a period, or null if no store has reported it.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_flag(p_claim_id BIGINT, p_flag TEXT) RETURNS TEXT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (SELECT f.value FROM wallet.period_flags AS f WHERE f.claim_id = p_claim_id AND f.flag = p_flag);
END;
$$;
COMMENT ON FUNCTION wallet.period_flag(BIGINT, TEXT) IS 'Returns the newest value of one flag of a period.';
