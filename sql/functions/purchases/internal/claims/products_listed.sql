-- Returns the products that a store listed in the purchase of a fact: those of the fact itself, and those of claims of
-- the same purchase if they include the fact's product. Returns null if no store listed it with others; then all claims
-- that share an identifier are one purchase of one product, under any name.
-- p_claim_ids: the claims that share an identifier with the fact.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.products_listed(p_fact wallet.claims, p_claim_ids BIGINT[]) RETURNS TEXT[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_products CONSTANT TEXT[] := coalesce(p_fact.purchase_products, '{}') || ARRAY(
        SELECT DISTINCT p.label FROM wallet.claims AS c
        CROSS JOIN LATERAL unnest(c.purchase_products) AS p (label)
        WHERE c.claim_id = ANY(p_claim_ids) AND p.label <> ALL(coalesce(p_fact.purchase_products, '{}'))
        ORDER BY p.label
    );
BEGIN
    RETURN CASE WHEN p_fact.purchase_products IS NOT NULL OR wallet.is_called(p_fact, v_products) THEN v_products END;
END;
$$;
COMMENT ON FUNCTION wallet.products_listed(wallet.claims, BIGINT[]) IS
'Returns the products that a store listed in the purchase of a fact.';
