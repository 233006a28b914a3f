-- Returns the name by which a store's product is compared inside one purchase: the product itself, without the base
-- plan that Google Play's subscriptions carry (plan:monthly).
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.product_label(p_store TEXT, p_name TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
    SELECT CASE WHEN p_store = 'play_store' THEN coalesce(nullif(split_part(p_name, ':', 1), ''), p_name) ELSE p_name END;
$$;
COMMENT ON FUNCTION wallet.product_label(TEXT, TEXT) IS
'The name by which a store''s product is compared in a purchase.';
