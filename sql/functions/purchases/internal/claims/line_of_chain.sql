-- Returns the chain line of a new claim's product in its subscription: empty for the first product, the product's label
-- for each further one. A product that replaces another continues its line, because no store lists both in one
-- purchase. A product that a store listed with another one is a further product, even if its first report comes with a
-- later period that it does not share with the other.
-- p_fact: the new claim, with the products that a store listed in its purchase.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.line_of_chain(p_fact wallet.claims) RETURNS TEXT LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_chain_id CONSTANT TEXT := coalesce(p_fact.original_transaction_id, p_fact.transaction_id);
    v_label CONSTANT TEXT := wallet.product_label(p_fact.store, p_fact.store_product_id);
BEGIN
    RETURN CASE WHEN p_fact.kind = 'subscription' AND (EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE
            c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
            AND c.chain_id = v_chain_id || ' ' || v_label
    ) OR EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE
            c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
            AND c.chain_id = v_chain_id AND c.duplicate_of IS NULL
            AND NOT wallet.is_called(c, ARRAY[v_label])
            -- A store listed both products in one purchase, that of the fact or that of the claim.
            AND (wallet.is_called(c, p_fact.purchase_products) OR wallet.is_called(p_fact, c.purchase_products))
    )) THEN v_label ELSE '' END;
END;
$$;
COMMENT ON FUNCTION wallet.line_of_chain(wallet.claims) IS
'Returns the chain line of a new claim''s product in its subscription.';
