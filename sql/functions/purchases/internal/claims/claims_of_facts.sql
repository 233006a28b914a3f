-- Returns the claims needed to apply facts and to restore the purchases that they prove: the claims of the facts, the
-- periods of the same subscriptions, and the claims released together with any of these.
-- p_app_transaction_id: a proved copy of the app, whose purchases are included; null for none.
-- Locks: none. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.claims_of_facts(p_facts JSONB[], p_app_transaction_id TEXT) RETURNS BIGINT[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim_ids BIGINT[];
BEGIN
    v_claim_ids := ARRAY(
        SELECT m.claim_id FROM unnest(p_facts) AS f (fact)
        CROSS JOIN LATERAL unnest(wallet.claims_matching(wallet.read_fact(f.fact))) AS m (claim_id)
        UNION
        -- A period that no store has reported yet moves with the other periods of its subscription.
        SELECT c.claim_id FROM unnest(p_facts) AS f (fact)
        CROSS JOIN LATERAL wallet.read_fact(f.fact) AS r
        INNER JOIN wallet.claims AS c
            ON
                r.store = c.store AND r.environment = c.environment AND r.kind = c.kind
                AND c.chain_id IN (
                    coalesce(r.original_transaction_id, r.transaction_id),
                    coalesce(r.original_transaction_id, r.transaction_id)
                    || ' ' || wallet.product_label(r.store, r.store_product_id)
                )
        WHERE c.kind = 'subscription'
        UNION
        SELECT c.claim_id FROM wallet.claims AS c WHERE c.app_transaction_id = p_app_transaction_id
    );
    v_claim_ids := v_claim_ids || wallet.released_claims(v_claim_ids);
    RETURN ARRAY(
        SELECT unnest(v_claim_ids) AS claim_id
        UNION
        SELECT n.claim_id FROM wallet.claims AS c
        INNER JOIN wallet.claims AS n
            ON c.store = n.store AND c.environment = n.environment AND c.chain_id = n.chain_id
        WHERE c.claim_id = ANY(v_claim_ids) AND c.kind = 'subscription' AND n.kind = 'subscription'
        ORDER BY claim_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.claims_of_facts(JSONB[], TEXT) IS
'Returns the claims needed to apply facts and to restore the purchases that they prove.';
