-- Returns the state of a claim: its granted amount, its refunded share, and the state of its subscription.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claim_state(p_claim_id BIGINT) RETURNS wallet.claim_summary LANGUAGE sql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT
        CASE WHEN c.granted_at IS NULL THEN 0 ELSE greatest(coalesce(l.granted, 0), 1) END::BIGINT,
        c.refunded_millionths,
        s.status,
        s.will_renew,
        s.period_end
    FROM wallet.claims AS c
    LEFT JOIN wallet.lots AS l ON l.claim_id = c.claim_id
    LEFT JOIN wallet.subscription_states AS s
        ON s.store = c.store AND s.environment = c.environment
        AND s.original_transaction_id = c.chain_id
    WHERE c.claim_id = p_claim_id;
$$;
COMMENT ON FUNCTION wallet.claim_state(BIGINT) IS 'Returns the state of a claim and its subscription.';
