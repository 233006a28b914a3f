-- Removes from a fact the identifiers that a claim with the same part already has, and returns the fact with the new
-- ones.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.unclaimed_identifiers(p_fact wallet.claims) RETURNS wallet.claims LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.transaction_id = p_fact.transaction_id AND c.part = p_fact.part
    ) THEN
        p_fact.transaction_id := NULL;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.order_id = p_fact.order_id
            AND c.part = p_fact.part
    ) THEN
        p_fact.order_id := NULL;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment
            AND c.purchase_token = p_fact.purchase_token AND c.kind = 'one_time' AND p_fact.kind = 'one_time'
            AND c.part = p_fact.part
    ) THEN
        p_fact.purchase_token := NULL;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.line_item_id = p_fact.line_item_id
    ) THEN
        p_fact.line_item_id := NULL;
    END IF;
    -- The original id is unique only together with the second of purchase.
    IF EXISTS (
        SELECT FROM wallet.claims AS c
        WHERE c.store = p_fact.store AND c.environment = p_fact.environment AND c.part = p_fact.part
            AND c.original_transaction_id = p_fact.original_transaction_id
            AND c.purchase_second = floor(extract(EPOCH FROM p_fact.purchased_at))::BIGINT
            AND (c.store <> 'play_store' OR coalesce(c.transaction_id, c.order_id) IS NULL)
    ) THEN
        p_fact.original_transaction_id := NULL;
    END IF;
    RETURN p_fact;
END;
$$;
COMMENT ON FUNCTION wallet.unclaimed_identifiers(wallet.claims) IS
'Returns a fact with only the identifiers that no claim with the same part has.';
