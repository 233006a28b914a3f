-- Returns when a product's lot expires. Bought credits never expire. A pass expires after its valid_days, counted as
-- days of 24 hours from the purchase. A plan's visits expire with their period.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lot_expiry(p_product wallet.products, p_claim wallet.claims) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql STABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE p_product.kind
        WHEN 'plan' THEN wallet.period_end(p_claim)
        WHEN 'pass' THEN coalesce(p_claim.purchased_at + make_interval(hours => 24 * p_product.valid_days), 'infinity')
        ELSE 'infinity'
    END;
END;
$$;
COMMENT ON FUNCTION wallet.lot_expiry(wallet.products, wallet.claims) IS 'Returns when a product''s lot expires.';
