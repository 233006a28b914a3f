-- Returns the claims that share any identifier with a fact, for all products. A duplicate is replaced by the claim that
-- it duplicates. A period that a source reported under another period's id has no id of its own, so it is identified by
-- its product and time.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_sharing(p_fact wallet.claims) RETURNS BIGINT[] LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- A one-time purchase has no chain, and its own id identifies no other purchase.
    v_chain_id CONSTANT TEXT := coalesce(
        p_fact.original_transaction_id, CASE WHEN p_fact.kind = 'subscription' THEN p_fact.transaction_id END
    );
    v_label CONSTANT TEXT := wallet.product_label(p_fact.store, p_fact.store_product_id);
    v_claim_ids BIGINT[];
BEGIN
    v_claim_ids := ARRAY(
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.transaction_id = p_fact.transaction_id
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.line_item_id = p_fact.line_item_id
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.original_transaction_id = v_chain_id
            AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::BIGINT
            AND (c.store <> 'play_store' OR coalesce(c.transaction_id, c.order_id) IS NULL)
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.purchase_token = p_fact.purchase_token AND c.kind = 'one_time' AND p_fact.kind = 'one_time'
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.order_id = p_fact.order_id
    );
    IF p_fact.kind = 'subscription' THEN
        v_claim_ids := v_claim_ids || ARRAY(
            -- The first period, if its report did not contain the original id.
            SELECT c.claim_id FROM wallet.claims AS c
            WHERE
                c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
                AND c.transaction_id = p_fact.original_transaction_id AND c.store <> 'play_store'
                AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::BIGINT
                AND c.duplicate_of IS NULL
            UNION
            SELECT c.claim_id FROM wallet.claims AS c
            WHERE
                c.store = p_fact.store AND c.environment = p_fact.environment AND c.kind = 'subscription'
                AND c.chain_id IN (v_chain_id, v_chain_id || ' ' || v_label) AND c.duplicate_of IS NULL
                AND wallet.is_same_period(c, p_fact) AND wallet.is_called(c, ARRAY[v_label])
        );
    END IF;
    RETURN ARRAY(SELECT DISTINCT s.claim_id FROM unnest(v_claim_ids) AS s (claim_id) ORDER BY s.claim_id);
END;
$$;
COMMENT ON FUNCTION wallet.claims_sharing(wallet.claims) IS
'Returns the claims that share any identifier with a fact, for all products.';
