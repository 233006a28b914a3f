-- Returns whether a period will be followed by another, as far as the stores have said. Who cancels a commitment is
-- billed to its end, whatever a source that knows no commitments says of that; its last billing period is followed by
-- another only if the commitment renews.
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
COMMENT ON FUNCTION wallet.period_renews(wallet.claims) IS 'Whether a period will be followed by another.';
