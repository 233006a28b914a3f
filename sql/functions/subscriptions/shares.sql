-- Returns the share of a commitment's total that one billing period grants. All n periods together grant exactly the
-- total, and the first k together grant k/n of it, rounded down. NULL if there is no commitment.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_share(p_whole BIGINT, p_period INTEGER, p_periods INTEGER) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_whole * p_period / p_periods - p_whole * (p_period - 1) / p_periods;
END;
$$;
COMMENT ON FUNCTION wallet.period_share(BIGINT, INTEGER, INTEGER) IS
'Returns the share of a commitment''s total that one billing period grants.';

-- Returns the price of one billing period of a product. The price of a product longer than one month is that of the
-- whole commitment, so a billing period costs its share. Otherwise it is already that of one billing period.
-- p_length: the product's period, NULL if it is no plan. p_period and p_periods: NULL without a commitment.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_price(
    p_price BIGINT, p_length TEXT, p_period INTEGER, p_periods INTEGER
) RETURNS BIGINT LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN p_length::INTERVAL > INTERVAL '1 month'
            THEN coalesce(wallet.period_share(p_price, p_period, p_periods), p_price)
        ELSE p_price
    END;
END;
$$;
COMMENT ON FUNCTION wallet.period_price(BIGINT, TEXT, INTEGER, INTEGER) IS
'Returns the price of one billing period of a product.';

-- Returns how much of a period's unused amount rolls over: the percentage, rounded down, up to the cap.
-- p_left: the amount neither spent nor refunded; a negative amount is treated as 0.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.rollover_worth(p_percentage INTEGER, p_cap BIGINT, p_left BIGINT) RETURNS BIGINT
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN least(p_percentage * greatest(p_left, 0) / 100, p_cap);
END;
$$;
COMMENT ON FUNCTION wallet.rollover_worth(INTEGER, BIGINT, BIGINT) IS
'Returns how much of a period''s unused amount rolls over.';

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
