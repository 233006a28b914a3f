-- Tells what one seat of a class costs in a unit, null when the class does not take it.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.price_in(p_class wallet.classes, p_unit wallet.unit) RETURNS BIGINT
LANGUAGE plpgsql STABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE p_unit WHEN 'credit' THEN p_class.price_credits ELSE p_class.price_visits END;
END;
$$;
COMMENT ON FUNCTION wallet.price_in(wallet.classes, wallet.unit) IS 'What one seat of a class costs in a unit.';
