-- Marks what a deleted account's live subscription goes on bringing as released, so that its person can restore it.
-- The caller holds the claim and, where it granted anything, the wallet. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.keep_released(p_claim_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
BEGIN
    SELECT c.* INTO v_claim FROM wallet.claims AS c
    INNER JOIN wallet.accounts AS a ON c.account_id = a.account_id
    WHERE c.claim_id = p_claim_id AND a.deleted_at IS NOT NULL;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE wallet.claims AS c SET released_at = wallet.now()
    WHERE c.claim_id = p_claim_id AND c.released_at IS NULL;
    UPDATE wallet.lots AS l SET released_at = wallet.now()
    WHERE l.account_id = v_claim.account_id AND (l.claim_id = p_claim_id OR l.rolled_from IS NOT NULL)
        AND l.released_at IS NULL AND l.source IN ('pack', 'pass', 'plan');
    UPDATE wallet.subscriptions AS s SET released_at = wallet.now()
    WHERE s.account_id = v_claim.account_id AND s.released_at IS NULL;
END;
$$;
COMMENT ON FUNCTION wallet.keep_released(BIGINT) IS
'Marks what a deleted account''s subscription goes on bringing as released.';
