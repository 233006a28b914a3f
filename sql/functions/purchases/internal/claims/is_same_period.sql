-- Returns whether a claim and a fact of one subscription are the same period according to their times, if their ids do
-- not decide. The App Store and others date a period exactly, so overlapping times are one period if either has no id.
-- Google Play estimates the start of a renewal but reports its end exactly, so there the end identifies the period,
-- unless both have a renewal number.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_same_period(p_claim wallet.claims, p_fact wallet.claims) RETURNS BOOLEAN
LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_renewal CONSTANT TEXT := '[.][.][0-9]+$';
    v_tolerance CONSTANT INTERVAL := '1 second';
BEGIN
    IF p_claim.store = 'play_store' AND p_claim.expires_at IS NOT NULL AND p_fact.expires_at IS NOT NULL THEN
        RETURN NOT coalesce(p_claim.order_id ~ v_renewal AND p_fact.order_id ~ v_renewal, FALSE)
            AND p_claim.expires_at BETWEEN p_fact.expires_at - v_tolerance AND p_fact.expires_at + v_tolerance;
    END IF;
    RETURN (
        coalesce(p_claim.transaction_id, p_claim.order_id) IS NULL
        OR coalesce(p_fact.transaction_id, p_fact.order_id) IS NULL
    )
    AND p_fact.purchased_at < coalesce(p_claim.expires_at, 'infinity') - v_tolerance
    AND CASE
        WHEN p_fact.expires_at IS NULL THEN p_claim.purchased_at - v_tolerance <= p_fact.purchased_at
        ELSE p_claim.purchased_at < p_fact.expires_at - v_tolerance
    END;
END;
$$;
COMMENT ON FUNCTION wallet.is_same_period(wallet.claims, wallet.claims) IS
'Returns whether a claim and a fact of one subscription are the same period according to their times.';
