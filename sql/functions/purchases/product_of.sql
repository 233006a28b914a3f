-- Finds the catalogue's product for a claim: the one that it was granted as, else the one with its store's id and the
-- same nature (a subscription is a plan; nothing else is). Google Play's subscriptions come with their base plan
-- (plan:monthly); where the catalogue does not distinguish base plans, the subscription's own id means all of them.
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
COMMENT ON FUNCTION wallet.product_of(wallet.claims) IS 'The catalogue''s product for a claim.';
