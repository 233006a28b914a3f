-- Returns when a claim's period ends by the newest report: its end, else the instant at which it was said to be over.
-- Null while no store has reported either.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reported_end(p_claim_id BIGINT) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce(
        wallet.period_flag(p_claim_id, 'expires_at'), wallet.period_flag(p_claim_id, 'expired_at')
    )::TIMESTAMPTZ;
END;
$$;
COMMENT ON FUNCTION wallet.reported_end(BIGINT) IS 'When a claim''s period ends by the newest report.';
