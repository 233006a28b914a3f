-- Updates the other periods affected by a claim's period: earlier periods that it may cut short, its own end, which a
-- later period may cut short, and the rollover into and out of it.
-- Locks: no others; the caller holds the owner's wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sync_group(p_claim wallet.claims) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.sync_expiry(c) FROM (
        SELECT o.* FROM wallet.claims AS o
        WHERE
            o.account_id = p_claim.account_id AND o.environment = p_claim.environment AND o.store = p_claim.store
            AND o.kind = 'subscription' AND o.granted_at IS NOT NULL AND o.duplicate_of IS NULL
            AND o.purchased_at <= p_claim.purchased_at
            AND (o.claim_id = p_claim.claim_id OR o.expires_at > p_claim.purchased_at)
        ORDER BY o.purchased_at, o.claim_id
    ) AS c;
    PERFORM wallet.roll_over(c.claim_id) FROM (
        SELECT p_claim.claim_id
        UNION ALL
        SELECT (wallet.period_before(p_claim)).claim_id
    ) AS c
    WHERE c.claim_id IS NOT NULL
    ORDER BY c.claim_id;
END;
$$;
COMMENT ON FUNCTION wallet.sync_group(wallet.claims) IS 'Updates the other periods affected by one period.';
