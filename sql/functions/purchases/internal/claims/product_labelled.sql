-- Returns the id of the catalogue's product for a label of a store or RevenueCat, or null.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.product_labelled(p_store TEXT, p_label TEXT) RETURNS TEXT LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT p.product_id FROM wallet.products AS p
    WHERE p_label IN (
        p.app_store_id, p.play_store_id, split_part(p.play_store_id, ':', 1), p.revenuecat_id,
        split_part(p.revenuecat_id, ':', 1)
    )
    ORDER BY
        -- A match in the store's own column comes before a match in another store's column.
        p_label = CASE p_store
            WHEN 'app_store' THEN p.app_store_id
            WHEN 'play_store' THEN split_part(p.play_store_id, ':', 1)
            ELSE p.revenuecat_id
        END DESC NULLS LAST,
        p.product_id
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.product_labelled(TEXT, TEXT) IS 'Returns the catalogue''s product for a label.';
