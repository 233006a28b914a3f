-- Returns how much of an amount that a claim brought is refunded: the claim's refunded share of it, rounded down. Of
-- several pieces a share that stands for whole ones takes exactly those: stores round a third up or down, the App Store
-- to ten millionths, and neither nine nor eleven of ten may be what one of three pieces was.
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
COMMENT ON FUNCTION wallet.refunded_part(wallet.claims, BIGINT) IS 'How much of what a claim brought is refunded.';
