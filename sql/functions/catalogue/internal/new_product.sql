-- Returns a product from a JSON object with the column names of wallet.products. A missing or null column gets the
-- default of a new product, and unknown names are ignored.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_product(p_product_id TEXT, p_definition JSONB) RETURNS wallet.products
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_populate_record(NULL::wallet.products, '{
        "description": "", "amount": 0, "bonus": 0, "currency": "USD", "is_active": true, "is_popular": false,
        "display_order": 0, "grace_days": 7, "tier": 0, "entitlements": [], "unlimited": false, "trial_amount": 0,
        "rollover_percentage": 0, "grant_source": "purchase"
    }' || jsonb_strip_nulls(p_definition) || jsonb_build_object('product_id', p_product_id));
$$;
COMMENT ON FUNCTION wallet.new_product(TEXT, JSONB) IS
'Returns a product from its definition; missing columns get the defaults of a new product.';
