-- Returns the released ones of the given claims, and the claims that move with them: the released periods of the same
-- subscriptions in any account, and the claims that must stay with any of these.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.released_claims(p_claim_ids BIGINT[]) RETURNS BIGINT[] LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT k.claim_id ORDER BY k.claim_id), '{}')
    FROM (
        SELECT c.account_id, array_agg(c.claim_id) AS claim_ids FROM wallet.claims AS c
        WHERE c.released_at IS NOT NULL AND c.account_id IS NOT NULL AND c.claim_id IN (
            SELECT unnest(p_claim_ids)
            UNION ALL
            SELECT n.claim_id FROM wallet.claims AS p
            INNER JOIN wallet.claims AS n
                ON
                    p.store = n.store AND p.environment = n.environment
                    AND p.chain_id = n.chain_id AND n.kind = 'subscription'
            WHERE p.claim_id = ANY(p_claim_ids) AND p.kind = 'subscription' AND p.released_at IS NOT NULL
        )
        GROUP BY c.account_id
    ) AS o
    CROSS JOIN LATERAL unnest(wallet.linked_claims(o.account_id, o.claim_ids)) AS k (claim_id);
$$;
COMMENT ON FUNCTION wallet.released_claims(BIGINT[]) IS
'Returns the released ones of the given claims, and the claims that move with them.';
