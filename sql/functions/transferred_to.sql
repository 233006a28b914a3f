-- Follows a store's transfers from the owner of a period to whoever has its subscription now. Transfers from before the
-- period began do not concern it.
-- Called by: wallet.sync_subscription. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.transferred_to(p_claim wallet.claims) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id BIGINT := p_claim.account_id;
    v_at TIMESTAMPTZ := p_claim.purchased_at;
    v_transfer wallet.subscription_transfers;
BEGIN
    LOOP
        SELECT t.* INTO v_transfer FROM wallet.subscription_transfers AS t
        WHERE t.from_account_id = v_account_id AND t.environment = p_claim.environment AND t.at >= v_at
        ORDER BY t.at, t.to_account_id
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_account_id := v_transfer.to_account_id;
        -- Two transfers of one instant must not go round for ever.
        v_at := v_transfer.at + INTERVAL '1 microsecond';
    END LOOP;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.transferred_to(wallet.claims) IS
'Who has a period''s subscription now, after the stores'' transfers.';
