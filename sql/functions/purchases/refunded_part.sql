-- Returns the refunded part of an amount that a claim granted: the claim's refunded share of it, rounded down. If the
-- share corresponds to whole pieces of several, exactly those are refunded. Stores round a third up or down, the App
-- Store to ten millionths; for three pieces of ten credits each, this must refund neither nine nor eleven.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.refunded_part(p_claim wallet.claims, p_amount BIGINT) RETURNS BIGINT LANGUAGE plpgsql
IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_pieces CONSTANT BIGINT := (p_claim.refunded_millionths::BIGINT * p_claim.quantity + 500000) / 1000000;
BEGIN
    IF
        p_claim.quantity > 1
        AND abs(p_claim.refunded_millionths::BIGINT * p_claim.quantity - v_pieces * 1000000) < 10 * p_claim.quantity
    THEN
        RETURN p_amount * v_pieces / p_claim.quantity;
    END IF;
    RETURN p_amount * p_claim.refunded_millionths / 1000000;
END;
$$;
COMMENT ON FUNCTION wallet.refunded_part(wallet.claims, BIGINT) IS
'Returns the refunded part of an amount that a claim granted.';
