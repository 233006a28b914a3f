-- Posts the due expiries of up to p_limit wallets and returns how many wallets it processed. Skips wallets that another
-- transaction holds.
-- Locks: due wallets, the longest due first, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sweep(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_wallet RECORD;
    v_swept INTEGER := 0;
BEGIN
    FOR v_wallet IN
        SELECT w.account_id, w.environment FROM wallet.wallets AS w
        WHERE w.next_expiry <= (SELECT wallet.now()) AND w.next_expiry < 'infinity'
        -- This order follows the index. Any other order would read every wallet that ever expires.
        ORDER BY w.next_expiry
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM wallet.lapse_due(v_wallet.account_id, v_wallet.environment);
        v_swept := v_swept + 1;
    END LOOP;
    RETURN v_swept;
END;
$$;
COMMENT ON FUNCTION wallet.sweep(INTEGER) IS
'Posts due expiries of free wallets and returns how many wallets it processed.';
