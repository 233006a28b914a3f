-- Marks later grants of a released purchase as released, too. For a deleted account, this covers everything that its
-- purchases still grant, so that its user can restore it. For a subscription that its owner has released, it covers
-- each further period, so that a user who proves one period restores all of them.
-- The caller holds the claim and, if it granted anything, the wallet. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.keep_released(p_claim_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_is_deleted BOOLEAN;
BEGIN
    SELECT c.* INTO v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    SELECT a.deleted_at IS NOT NULL INTO v_is_deleted FROM wallet.accounts AS a
    WHERE a.account_id = v_claim.account_id;
    IF v_claim.account_id IS NULL OR NOT (v_is_deleted OR v_claim.kind = 'subscription' AND EXISTS (
        SELECT FROM wallet.subscriptions AS s
        WHERE
            s.store = v_claim.store AND s.environment = v_claim.environment
            AND s.original_transaction_id = v_claim.chain_id
            AND s.account_id = v_claim.account_id AND s.released_at IS NOT NULL
    )) THEN
        RETURN;
    END IF;
    UPDATE wallet.claims AS c SET released_at = wallet.now()
    WHERE c.claim_id = p_claim_id AND c.released_at IS NULL;
    UPDATE wallet.lots AS l SET released_at = wallet.now()
    WHERE
        l.account_id = v_claim.account_id AND l.released_at IS NULL AND l.source IN ('pack', 'pass', 'plan')
        AND (l.claim_id = p_claim_id OR l.rolled_from = p_claim_id OR (v_is_deleted AND l.rolled_from IS NOT NULL));
    UPDATE wallet.subscriptions AS s SET released_at = wallet.now()
    WHERE v_is_deleted AND s.account_id = v_claim.account_id AND s.released_at IS NULL;
END;
$$;
COMMENT ON FUNCTION wallet.keep_released(BIGINT) IS
'Marks later grants of a deleted account or a released subscription as released.';
