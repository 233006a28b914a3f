-- Releases an active owner's purchase, with its subscription and the claims that must stay with it, so that another
-- user who proves it may restore it. Until then the owner's wallet keeps the credits, but the subscription gives no
-- access.
-- Locks: the claims by id, the wallet, the subscriptions by id. Codes: WL404 purchase-not-found.
CREATE OR REPLACE FUNCTION wallet.release_claim(p_claim_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_claim_ids BIGINT[];
BEGIN
    SELECT c.* INTO v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    IF v_claim.account_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'purchase-not-found';
    END IF;
    PERFORM FROM wallet.claims AS c
    WHERE c.claim_id = ANY(wallet.linked_claims(v_claim.account_id, ARRAY[p_claim_id]))
    ORDER BY c.claim_id
    FOR NO KEY UPDATE;
    PERFORM wallet.lock_wallet(v_claim.account_id, v_claim.environment);
    v_claim_ids := wallet.linked_claims(v_claim.account_id, ARRAY[p_claim_id]);
    PERFORM wallet.lock_subscriptions(v_claim_ids);
    UPDATE wallet.claims AS c SET released_at = wallet.now()
    WHERE c.claim_id = ANY(v_claim_ids) AND c.account_id = v_claim.account_id AND c.released_at IS NULL;
    UPDATE wallet.lots AS l SET released_at = wallet.now()
    WHERE
        l.account_id = v_claim.account_id AND l.released_at IS NULL
        AND l.lot_id = ANY(wallet.claims_lots(v_claim.account_id, v_claim_ids));
    UPDATE wallet.subscriptions AS s SET released_at = wallet.now()
    WHERE
        s.account_id = v_claim.account_id AND s.released_at IS NULL
        AND (s.store, s.environment, s.original_transaction_id) IN (
            SELECT c.store, c.environment, c.chain_id FROM wallet.claims AS c
            WHERE c.claim_id = ANY(v_claim_ids) AND c.kind = 'subscription'
        );
    IF FOUND THEN
        PERFORM wallet.check_cover(v_claim.account_id, v_claim.environment, FALSE);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.release_claim(BIGINT) IS
'Releases an active owner''s purchase, so that another user who proves it may restore it.';
