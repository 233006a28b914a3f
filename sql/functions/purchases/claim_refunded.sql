-- Returns how much of a claim's granted amount is taken back: its refunded share, and any amount granted beyond its
-- share of a commitment. A source that does not support commitments may be the first to report a billing period. The
-- period then grants the whole product until another source reports its number and the number of periods.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claim_refunded(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_worth CONSTANT BIGINT := wallet.claim_worth(p_claim);
    v_due CONSTANT BIGINT := least(v_worth, p_claim.quantity * wallet.period_share(
        p_claim.commitment_amount, p_claim.billing_period, p_claim.billing_periods
    ));
BEGIN
    RETURN v_worth - v_due + wallet.refunded_part(p_claim, v_due);
END;
$$;
COMMENT ON FUNCTION wallet.claim_refunded(wallet.claims) IS
'Returns how much of a claim''s granted amount is taken back.';
