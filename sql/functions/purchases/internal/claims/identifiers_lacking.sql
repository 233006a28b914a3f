-- Removes from a fact the identifiers that a claim or one of its duplicates has, and returns the fact with the missing
-- ones.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.identifiers_lacking(p_claim_id BIGINT, p_fact wallet.claims) RETURNS wallet.claims
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.claims;
BEGIN
    FOR v_known IN
        SELECT c.* FROM wallet.claims AS c WHERE c.claim_id = p_claim_id OR c.duplicate_of = p_claim_id
    LOOP
        p_fact.transaction_id := nullif(p_fact.transaction_id, v_known.transaction_id);
        p_fact.order_id := nullif(p_fact.order_id, v_known.order_id);
        p_fact.purchase_token := nullif(p_fact.purchase_token, v_known.purchase_token);
        p_fact.line_item_id := nullif(p_fact.line_item_id, v_known.line_item_id);
        IF
            v_known.original_transaction_id = p_fact.original_transaction_id
            AND (v_known.store = 'play_store' OR floor(extract(EPOCH FROM p_fact.purchased_at)) = v_known.purchase_second)
        THEN
            p_fact.original_transaction_id := NULL;
        END IF;
    END LOOP;
    RETURN p_fact;
END;
$$;
COMMENT ON FUNCTION wallet.identifiers_lacking(BIGINT, wallet.claims) IS
'Returns a fact with only the identifiers that a claim and its duplicates lack.';
