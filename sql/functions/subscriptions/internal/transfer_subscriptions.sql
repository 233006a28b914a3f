-- Gives released subscriptions to the account that proves one of their periods. Earlier transfers by the stores no
-- longer affect them. A subscription that a transfer moved to an active account is not released, so it stays there.
-- The caller holds the claims and the account. Locks: the subscriptions, by id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.transfer_subscriptions(p_account_id BIGINT, p_claim_ids BIGINT[]) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_subscription wallet.subscriptions;
BEGIN
    PERFORM wallet.lock_subscriptions(p_claim_ids);
    FOR v_subscription IN
        SELECT s.* FROM wallet.subscriptions AS s
        WHERE s.released_at IS NOT NULL AND (s.store, s.environment, s.original_transaction_id) IN (
            SELECT c.store, c.environment, c.chain_id FROM wallet.claims AS c
            WHERE c.claim_id = ANY(p_claim_ids) AND c.kind = 'subscription'
        )
        ORDER BY s.subscription_id
    LOOP
        UPDATE wallet.subscriptions AS s SET account_id = p_account_id, released_at = NULL, next_change_at = '-infinity'
        WHERE s.subscription_id = v_subscription.subscription_id;
        UPDATE wallet.claims AS c SET subscriber_id = p_account_id, subscriber_since = wallet.now()
        WHERE
            c.store = v_subscription.store AND c.environment = v_subscription.environment AND c.kind = 'subscription'
            AND c.chain_id = v_subscription.original_transaction_id;
        PERFORM wallet.emit(
            'subscription.transferred', p_account_id, v_subscription.environment, v_subscription.current_claim_id
        );
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.transfer_subscriptions(BIGINT, BIGINT[]) IS
'Gives released subscriptions to the account that proves one of their periods.';
