-- Finds and locks the claim that a fact is about. If several claims match, they are one purchase whose parts were
-- reported separately, and are merged.
-- Locks: the matching claims, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.find_claim(p_fact wallet.claims) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_matches BIGINT[];
BEGIN
    LOOP
        v_matches := wallet.claims_matching(p_fact);
        IF v_matches = '{}' THEN
            RETURN NULL;
        END IF;
        PERFORM c.claim_id FROM wallet.claims AS c WHERE c.claim_id = ANY(v_matches) ORDER BY c.claim_id
        FOR NO KEY UPDATE;
        -- While this waited for a lock, another transaction may have merged two of them.
        EXIT WHEN v_matches = wallet.claims_matching(p_fact);
    END LOOP;
    IF cardinality(v_matches) > 1 THEN
        RETURN wallet.merge_claims(v_matches);
    END IF;
    RETURN v_matches[1];
END;
$$;
COMMENT ON FUNCTION wallet.find_claim(wallet.claims) IS 'Finds and locks the claim that a fact is about.';
