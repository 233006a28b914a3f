-- Records that the wallet has acknowledged a purchase to its store.
-- Locks: the claim's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.acknowledge_claim(p_claim_id BIGINT) RETURNS VOID LANGUAGE sql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.claims AS c SET needs_acknowledgement = FALSE WHERE c.claim_id = p_claim_id;
$$;
COMMENT ON FUNCTION wallet.acknowledge_claim(BIGINT) IS
'Records that the wallet has acknowledged a purchase to its store.';
