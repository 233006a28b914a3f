-- Posts all due expiries of a locked wallet, soonest first, and stores when the next one is due. Returns the ctid of
-- the wallet's row afterwards.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lapse_due(p_account_id BIGINT, p_environment wallet.environment)
RETURNS TID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_id UUID;
    v_at TID;
BEGIN
    FOR v_lot_id IN
        SELECT l.lot_id FROM wallet.lots AS l
        WHERE
            l.account_id = p_account_id AND l.environment = p_environment AND l.is_open
            AND l.expires_at <= (SELECT wallet.now())
        ORDER BY l.expires_at, l.lot_id
    LOOP
        PERFORM wallet.lapse_lot(p_account_id, p_environment, v_lot_id);
    END LOOP;
    UPDATE wallet.wallets AS w SET next_expiry = coalesce((
        SELECT min(l.expires_at) FROM wallet.lots AS l
        WHERE l.account_id = p_account_id AND l.environment = p_environment AND l.is_open
    ), 'infinity')
    WHERE w.account_id = p_account_id AND w.environment = p_environment
    RETURNING w.ctid INTO v_at;
    RETURN v_at;
END;
$$;
COMMENT ON FUNCTION wallet.lapse_due(BIGINT, wallet.environment) IS 'Posts all due expiries of a locked wallet.';
