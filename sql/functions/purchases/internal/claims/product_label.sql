-- Returns the label by which a store's product is compared within one purchase: the product's name, without the base
-- plan of Google Play's subscriptions (plan:monthly).
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.product_label(p_store TEXT, p_name TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
    SELECT CASE WHEN p_store = 'play_store' THEN coalesce(nullif(split_part(p_name, ':', 1), ''), p_name) ELSE p_name END;
$$;
COMMENT ON FUNCTION wallet.product_label(TEXT, TEXT) IS
'Returns the label by which a store''s product is compared within one purchase.';
