-- Finds the claim that shares any identifier with a fact. If several do, they are one purchase told in parts that
-- never met: the granted one, else the oldest, stands for all, and the others can grant no more.
-- Called by: wallet.record_claim. Locks: the claims that match, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.find_claim(p_fact wallet.claims) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_matches bigint[];
    v_first bigint;
BEGIN
    SELECT array_agg(m.claim_id ORDER BY m.claim_id) INTO v_matches FROM (
        SELECT coalesce(c.duplicate_of, c.claim_id) AS claim_id FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.transaction_id = p_fact.transaction_id
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.original_transaction_id = p_fact.original_transaction_id AND c.line_item_id = p_fact.line_item_id
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.original_transaction_id = p_fact.original_transaction_id
            AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::bigint
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.purchase_token = p_fact.purchase_token AND c.kind = 'one_time' AND p_fact.kind = 'one_time'
        UNION
        SELECT coalesce(c.duplicate_of, c.claim_id) FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.order_id = p_fact.order_id
    ) AS m;
    IF cardinality(v_matches) > 1 THEN
        PERFORM c.claim_id FROM wallet.claims AS c WHERE c.claim_id = ANY(v_matches) ORDER BY c.claim_id FOR UPDATE;
        SELECT c.claim_id INTO v_first FROM wallet.claims AS c WHERE c.claim_id = ANY(v_matches)
        ORDER BY c.granted_at NULLS LAST, c.claim_id LIMIT 1;
        UPDATE wallet.claims AS c SET duplicate_of = v_first, refunded_millionths = 1000000
        WHERE c.claim_id = ANY(v_matches) AND c.claim_id <> v_first;
        UPDATE wallet.claims AS c SET duplicate_of = v_first WHERE c.duplicate_of = ANY(v_matches) AND c.claim_id <> v_first;
        -- Had two of them granted, the later one's grant is taken back: one purchase grants once.
        PERFORM wallet.sync_claim(c.claim_id) FROM wallet.claims AS c
        WHERE c.duplicate_of = v_first AND c.granted_at IS NOT NULL ORDER BY c.claim_id;
        RETURN v_first;
    END IF;
    RETURN v_matches[1];
END;
$$;
COMMENT ON FUNCTION wallet.find_claim(wallet.claims) IS 'The claim that shares any identifier with a fact.';
