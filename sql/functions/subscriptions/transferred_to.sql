-- Returns the account that owns a period's subscription now. It starts at the subscription's first account and follows
-- the stores' transfers. Transfers from before the period, or from before a user restored the subscription, are
-- ignored. If an account on the way was merged, the result continues with the account that it was merged into.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.transferred_to(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id BIGINT := coalesce(p_claim.subscriber_id, p_claim.account_id);
    v_at TIMESTAMPTZ := coalesce(p_claim.subscriber_since, p_claim.purchased_at);
    v_transfer wallet.subscription_transfers;
BEGIN
    LOOP
        SELECT t.* INTO v_transfer FROM wallet.subscription_transfers AS t
        WHERE
            t.from_account_id = v_account_id AND t.environment = p_claim.environment
            AND (t.at >= v_at OR t.is_merge)
        -- A store's transfers come before the merge: they concern the merged account's own subscriptions, even if they
        -- are reported after the merge.
        ORDER BY t.is_merge, t.at, t.to_account_id
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_account_id := v_transfer.to_account_id;
        -- Two opposite transfers at the same time must not cause an endless loop.
        v_at := greatest(
            v_at, v_transfer.at + make_interval(secs => CASE WHEN v_transfer.is_merge THEN 0 ELSE 0.000001 END)
        );
    END LOOP;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.transferred_to(wallet.claims) IS
'Returns the account that owns a period''s subscription now, after the stores'' transfers.';
