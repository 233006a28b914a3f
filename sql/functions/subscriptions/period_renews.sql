-- Returns whether another period will follow, as far as the stores have reported. A cancelled commitment is billed to
-- its end, even if a source that does not support commitments reports otherwise. After its last billing period, another
-- one follows only if the commitment renews.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_renews(p_claim wallet.claims) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN coalesce(p_claim.billing_period < p_claim.billing_periods, FALSE) OR (
        coalesce(wallet.period_flag(p_claim.claim_id, 'will_renew')::BOOLEAN, TRUE)
        AND coalesce(wallet.period_flag(p_claim.claim_id, 'commitment_renews')::BOOLEAN, TRUE)
    );
END;
$$;
COMMENT ON FUNCTION wallet.period_renews(wallet.claims) IS 'Returns whether another period will follow.';
