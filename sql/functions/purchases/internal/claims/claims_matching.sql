-- Lists the claims that share any identifier with a fact, a duplicate standing for the claim that it duplicates.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claims_matching(p_fact wallet.claims) RETURNS BIGINT[] LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(m.claim_id ORDER BY m.claim_id), '{}') FROM (
            SELECT coalesce(c.duplicate_of, c.claim_id) AS claim_id FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment
                AND c.transaction_id = p_fact.transaction_id
            UNION
            SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment
                AND c.original_transaction_id = p_fact.original_transaction_id AND c.line_item_id = p_fact.line_item_id
            UNION
            SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment
                AND c.original_transaction_id = p_fact.original_transaction_id
                AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::BIGINT
                AND c.store <> 'play_store'
            UNION
            SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment
                AND c.purchase_token = p_fact.purchase_token AND c.kind = 'one_time' AND p_fact.kind = 'one_time'
            UNION
            SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
            WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.order_id = p_fact.order_id
        ) AS m
    );
END;
$$;
COMMENT ON FUNCTION wallet.claims_matching(wallet.claims) IS 'The claims that share any identifier with a fact.';
