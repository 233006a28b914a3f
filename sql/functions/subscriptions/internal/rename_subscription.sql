-- Identifies a subscription by its first transaction once that is known, if it was identified by its only period so
-- far.
-- The caller holds the claim. Locks: the subscription's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.rename_subscription(p_claim wallet.claims) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old wallet.subscriptions;
    -- The name of a further product's chain includes the product, before and after.
    v_line CONSTANT TEXT := CASE p_claim.chain_line WHEN '' THEN '' ELSE ' ' || p_claim.chain_line END;
BEGIN
    IF p_claim.chain_id = p_claim.transaction_id || v_line OR p_claim.transaction_id IS NULL THEN
        RETURN;
    END IF;
    SELECT s.* INTO v_old FROM wallet.subscriptions AS s
    WHERE
        s.store = p_claim.store AND s.environment = p_claim.environment
        AND s.original_transaction_id = p_claim.transaction_id || v_line AND s.current_claim_id = p_claim.claim_id
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF EXISTS (
        SELECT FROM wallet.subscriptions AS s
        WHERE
            s.store = p_claim.store AND s.environment = p_claim.environment
            AND s.original_transaction_id = p_claim.chain_id
    ) THEN
        DELETE FROM wallet.subscriptions AS s WHERE s.subscription_id = v_old.subscription_id;
        PERFORM wallet.check_cover(v_old.account_id, v_old.environment, TRUE) WHERE v_old.unlimited;
    ELSE
        UPDATE wallet.subscriptions AS s SET original_transaction_id = p_claim.chain_id
        WHERE s.subscription_id = v_old.subscription_id;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.rename_subscription(wallet.claims) IS
'Identifies a subscription by its first transaction once that is known.';
