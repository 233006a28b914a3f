-- Follows a store's transfers from the account that had a period's subscription first to the one that has it now.
-- Transfers from before the period began do not concern it, nor do those from before somebody restored the
-- subscription. What was left to an account that was merged is the other's.
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
        -- What the stores say of an account that was merged, whenever it arrives, is about what it had itself.
        ORDER BY t.is_merge, t.at, t.to_account_id
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_account_id := v_transfer.to_account_id;
        -- Two transfers of one instant must not go round for ever.
        v_at := greatest(
            v_at, v_transfer.at + make_interval(secs => CASE WHEN v_transfer.is_merge THEN 0 ELSE 0.000001 END)
        );
    END LOOP;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.transferred_to(wallet.claims) IS
'Who has a period''s subscription now, after the stores'' transfers.';
