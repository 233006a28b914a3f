-- Returns the catalogue's product of a claim: the product that was granted, otherwise the one with its store id and the
-- matching kind (a plan for a subscription, another kind otherwise). Google Play reports a subscription with its base
-- plan (plan:monthly). If the catalogue has only the subscription's own id, it matches all base plans.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.product_of(p_claim wallet.claims) RETURNS wallet.products LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_product wallet.products;
BEGIN
    SELECT p.* INTO v_product FROM wallet.products AS p
    WHERE CASE
        WHEN p_claim.product_id IS NOT NULL THEN p.product_id = p_claim.product_id
        WHEN p_claim.store = 'app_store' THEN p.app_store_id = p_claim.store_product_id
        WHEN p_claim.store = 'play_store' THEN p.play_store_id IN (
            p_claim.store_product_id, split_part(p_claim.store_product_id, ':', 1)
        )
        ELSE p.revenuecat_id = p_claim.store_product_id
    END
    AND (p_claim.product_id IS NOT NULL OR (p.kind = 'plan') = (p_claim.kind = 'subscription'))
    ORDER BY p_claim.store = 'play_store' AND p.play_store_id = p_claim.store_product_id DESC NULLS LAST
    LIMIT 1;
    RETURN v_product;
END;
$$;
COMMENT ON FUNCTION wallet.product_of(wallet.claims) IS 'Returns the catalogue''s product of a claim.';
