-- Returns the claims that a fact is about: those that share an identifier with it and have its product. A claim with
-- another product name is a different claim only if a store listed both products in one purchase. If a source merely
-- uses another name for the product, or names the product that will replace it, the fact is about the existing claim.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_matching(p_fact wallet.claims) RETURNS BIGINT[] LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_fact CONSTANT wallet.claims := wallet.name_period(p_fact);
    v_labels CONSTANT TEXT[] := wallet.product_label(v_fact.store, v_fact.store_product_id)
        || coalesce(v_fact.other_names, '{}');
    v_sharing CONSTANT BIGINT[] := wallet.claims_sharing(v_fact);
    v_products TEXT[];
    v_matches BIGINT[];
BEGIN
    IF v_sharing = '{}' OR (v_fact.purchase_products IS NULL AND NOT EXISTS (
        SELECT FROM wallet.claims AS c WHERE c.claim_id = ANY(v_sharing) AND c.purchase_products IS NOT NULL
    )) THEN
        RETURN v_sharing;
    END IF;
    v_products := wallet.products_listed(v_fact, v_sharing);
    -- One product of a purchase may have an identifier that another product does not have yet.
    v_matches := ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE
            c.claim_id = ANY(v_sharing || ARRAY(
                SELECT s.claim_id FROM wallet.claims AS k
                CROSS JOIN LATERAL unnest(wallet.claims_sharing(k)) AS s (claim_id)
                WHERE k.claim_id = ANY(v_sharing) OR k.duplicate_of = ANY(v_sharing)
            ))
            AND (wallet.is_called(c, v_labels) OR EXISTS (
                SELECT FROM wallet.claims AS l
                WHERE
                    l.store = v_fact.store AND l.environment = v_fact.environment
                    AND l.line_item_id = v_fact.line_item_id AND coalesce(l.duplicate_of, l.claim_id) = c.claim_id
            ))
        ORDER BY c.claim_id
    );
    IF v_matches <> '{}' THEN
        RETURN v_matches;
    END IF;
    -- A claim under a name that no store listed must be one of the listed products.
    RETURN ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(v_sharing) AND (v_products IS NULL OR NOT wallet.is_called(c, v_products))
        ORDER BY c.part, c.claim_id
        LIMIT 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.claims_matching(wallet.claims) IS 'Returns the claims that a fact is about.';
