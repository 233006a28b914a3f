-- Returns when a claim's period ends according to the newest report: its reported end, otherwise the time at which it
-- was reported as expired; null if no store has reported either.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reported_end(p_claim_id BIGINT) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce(
        wallet.period_flag(p_claim_id, 'expires_at'), wallet.period_flag(p_claim_id, 'expired_at')
    )::TIMESTAMPTZ;
END;
$$;
COMMENT ON FUNCTION wallet.reported_end(BIGINT) IS
'Returns when a claim''s period ends according to the newest report.';
