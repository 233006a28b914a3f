-- Removes from a fact the ids that belong to another period of its subscription. The fact is then identified by its
-- subscription and purchase time.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.name_period(p_fact wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_fact.kind <> 'subscription' OR coalesce(p_fact.transaction_id, p_fact.order_id) IS NULL THEN
        RETURN p_fact;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS k
        INNER JOIN wallet.claims AS c ON coalesce(k.duplicate_of, k.claim_id) = c.claim_id
        WHERE
            k.store = p_fact.store AND k.environment = p_fact.environment
            AND k.transaction_id = p_fact.transaction_id AND c.claim_id IS DISTINCT FROM p_fact.claim_id
            AND wallet.is_other_period(c, p_fact)
        UNION ALL
        SELECT FROM wallet.claims AS k
        INNER JOIN wallet.claims AS c ON coalesce(k.duplicate_of, k.claim_id) = c.claim_id
        WHERE
            k.store = p_fact.store AND k.environment = p_fact.environment
            AND k.order_id = p_fact.order_id AND c.claim_id IS DISTINCT FROM p_fact.claim_id
            AND wallet.is_other_period(c, p_fact)
    ) THEN
        p_fact.original_transaction_id := coalesce(
            p_fact.original_transaction_id, p_fact.transaction_id, p_fact.order_id
        );
        p_fact.transaction_id := NULL;
        p_fact.order_id := NULL;
    END IF;
    RETURN p_fact;
END;
$$;
COMMENT ON FUNCTION wallet.name_period(wallet.claims) IS
'Returns a fact without the ids that belong to another period.';
