-- Moves claims with their lots and subscriptions from the accounts that released them to another account.
-- The caller holds the claims. Locks: the account, the wallets of all accounts in order, then the subscriptions. Codes:
-- WL401 unauthenticated, WL403 account-blocked, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.transfer_released_claims(
    p_account_id BIGINT, p_claim_ids BIGINT[]
) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_former RECORD;
    v_formers BIGINT[];
BEGIN
    v_formers := ARRAY(SELECT DISTINCT c.account_id FROM wallet.claims AS c WHERE c.claim_id = ANY(p_claim_ids));
    IF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = ANY(v_formers) AND a.blocked_at IS NOT NULL
    ) THEN
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR NO KEY UPDATE;
    ELSE
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR SHARE;
    END IF;
    PERFORM wallet.lock_wallet(w.account_id, w.environment) FROM (
        SELECT DISTINCT o.account_id, c.environment FROM wallet.claims AS c
        CROSS JOIN LATERAL unnest(ARRAY[c.account_id, p_account_id]) AS o (account_id)
        WHERE c.claim_id = ANY(p_claim_ids)
        ORDER BY o.account_id, c.environment
    ) AS w;
    PERFORM wallet.check_may_receive_claims(p_account_id);
    -- A proved purchase is no longer released, whether it moves or its owner takes it back. Only then may its lots
    -- repay debts.
    UPDATE wallet.lots AS l SET released_at = NULL
    FROM wallet.claims AS c
    WHERE
        c.claim_id = ANY(p_claim_ids) AND l.account_id = c.account_id AND l.released_at IS NOT NULL
        AND l.moved_to IS NULL AND c.claim_id IN (l.claim_id, l.rolled_from);
    FOR v_former IN
        SELECT c.account_id, c.environment, array_agg(c.claim_id) AS claim_ids FROM wallet.claims AS c
        WHERE c.claim_id = ANY(p_claim_ids)
        GROUP BY c.account_id, c.environment
        ORDER BY c.account_id, c.environment
    LOOP
        PERFORM wallet.move_lots(
            v_former.account_id, p_account_id, v_former.environment,
            wallet.claims_lots(v_former.account_id, v_former.claim_ids)
        );
    END LOOP;
    UPDATE wallet.claims AS c SET account_id = p_account_id, released_at = NULL WHERE c.claim_id = ANY(p_claim_ids);
    PERFORM wallet.transfer_subscriptions(p_account_id, p_claim_ids);
    UPDATE wallet.accounts AS a SET blocked_at = b.blocked_at
    FROM (
        SELECT min(f.blocked_at) AS blocked_at FROM wallet.accounts AS f
        WHERE f.account_id = ANY(v_formers) AND f.deleted_at IS NOT NULL
    ) AS b
    WHERE a.account_id = p_account_id AND a.blocked_at IS NULL AND b.blocked_at IS NOT NULL;
END;
$$;
COMMENT ON FUNCTION wallet.transfer_released_claims(BIGINT, BIGINT[]) IS
'Moves claims with their lots and subscriptions from the accounts that released them to another account.';
