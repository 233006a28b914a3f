-- Returns the given claims of an account and the claims that must stay with them: the other periods of a subscription,
-- and duplicates.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.linked_claims(p_account_id BIGINT, p_claim_ids BIGINT[]) RETURNS BIGINT[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim_ids BIGINT[] := p_claim_ids;
    v_before INTEGER := -1;
BEGIN
    WHILE cardinality(v_claim_ids) <> v_before LOOP
        v_before := cardinality(v_claim_ids);
        v_claim_ids := ARRAY(
            SELECT c.claim_id FROM wallet.claims AS c
            WHERE
                c.account_id = p_account_id AND (
                    c.claim_id = ANY(v_claim_ids)
                    OR c.duplicate_of = ANY(v_claim_ids)
                    OR c.claim_id IN (SELECT d.duplicate_of FROM wallet.claims AS d WHERE d.claim_id = ANY(v_claim_ids))
                    OR (c.kind = 'subscription' AND (c.store, c.environment, c.chain_id) IN (
                        SELECT d.store, d.environment, d.chain_id FROM wallet.claims AS d
                        WHERE d.claim_id = ANY(v_claim_ids) AND d.kind = 'subscription'
                    ))
                )
            ORDER BY c.claim_id
        );
    END LOOP;
    RETURN v_claim_ids;
END;
$$;
COMMENT ON FUNCTION wallet.linked_claims(BIGINT, BIGINT[]) IS
'Returns claims of an account and the claims that must stay with them.';
