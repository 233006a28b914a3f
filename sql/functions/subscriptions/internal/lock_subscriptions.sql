-- Locks the subscriptions that contain the periods of the given claims, in any account. It waits for a transaction that
-- is moving one of them to another account.
-- Locks: the subscriptions, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_subscriptions(p_claim_ids BIGINT[]) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM FROM wallet.subscriptions AS s
    WHERE (s.store, s.environment, s.original_transaction_id) IN (
        SELECT c.store, c.environment, c.chain_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(p_claim_ids) AND c.kind = 'subscription'
    )
    ORDER BY s.subscription_id
    FOR UPDATE;
END;
$$;
COMMENT ON FUNCTION wallet.lock_subscriptions(BIGINT[]) IS
'Locks the subscriptions that contain the periods of the given claims.';
