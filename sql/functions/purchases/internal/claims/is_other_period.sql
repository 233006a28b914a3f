-- Returns whether a fact about a subscription concerns another period than the claim with the same transaction id. Some
-- stores report a renewal under the first period's id, so the id alone does not identify a period. Two facts whose
-- times do not overlap are two periods. Google Play numbers the orders of its renewals and dates them less exactly, so
-- there the number decides.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_other_period(p_claim wallet.claims, p_fact wallet.claims) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- One store reports milliseconds and another truncates them.
    v_tolerance CONSTANT INTERVAL := '1 second';
BEGIN
    IF
        p_claim.kind <> 'subscription' OR p_fact.kind <> 'subscription'
        OR (p_fact.store = 'play_store' AND coalesce(p_fact.order_id, p_fact.transaction_id) ~ '[.][.][0-9]+$')
    THEN
        RETURN FALSE;
    END IF;
    RETURN coalesce(
        p_claim.expires_at > p_claim.purchased_at AND (
            p_fact.purchased_at > p_claim.expires_at - v_tolerance
            OR p_fact.expires_at < p_claim.purchased_at + v_tolerance
        ), FALSE
    ) OR (
        -- A Google Play renewal that was also reported under the first order begins no later than the reported time.
        p_claim.store = 'play_store' AND p_fact.purchased_at < p_claim.purchased_at
        AND p_fact.expires_at NOT BETWEEN p_claim.expires_at - v_tolerance AND p_claim.expires_at + v_tolerance
        AND EXISTS (
            SELECT FROM wallet.claims AS k
            WHERE p_claim.claim_id IN (k.claim_id, k.duplicate_of) AND k.order_id ~ '[.][.][0-9]+$'
        )
    ) OR (p_fact.purchased_at < p_claim.purchased_at - v_tolerance AND EXISTS (
        -- The fact has no end, and another period contains its purchase time.
        SELECT FROM wallet.claims AS o
        WHERE
            o.store = p_claim.store AND o.environment = p_claim.environment AND o.kind = 'subscription'
            AND o.chain_id = p_claim.chain_id AND o.claim_id <> p_claim.claim_id AND o.duplicate_of IS NULL
            AND o.purchased_at - v_tolerance <= p_fact.purchased_at AND o.expires_at - v_tolerance > p_fact.purchased_at
    ));
END;
$$;
COMMENT ON FUNCTION wallet.is_other_period(wallet.claims, wallet.claims) IS
'Returns whether a fact concerns another period than the claim with the same transaction id.';
