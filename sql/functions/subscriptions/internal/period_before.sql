-- Returns the granted period before a claim's period in the same subscription.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.period_before(p_claim wallet.claims) RETURNS wallet.claims LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT c.* FROM wallet.claims AS c
    WHERE
        c.store = p_claim.store AND c.environment = p_claim.environment AND c.kind = 'subscription'
        AND c.chain_id = p_claim.chain_id AND c.granted_at IS NOT NULL
        AND c.duplicate_of IS NULL AND c.purchased_at < p_claim.purchased_at
    ORDER BY c.purchased_at DESC, c.expires_at DESC
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.period_before(wallet.claims) IS
'Returns the granted period before this one in the same subscription.';
