-- Returns the total amount of a granted claim: its quantity times the amount of one piece, or the amount that the store
-- reported.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claim_worth(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE WHEN p_claim.grants_reported_amount THEN p_claim.reported_amount ELSE p_claim.grant_amount * p_claim.quantity END;
END;
$$;
COMMENT ON FUNCTION wallet.claim_worth(wallet.claims) IS 'Returns the total amount of a granted claim.';
