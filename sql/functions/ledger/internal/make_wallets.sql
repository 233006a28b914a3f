-- Creates the missing wallets of a batch, and returns the ctids of the rows that it locked. If another transaction
-- creates one at the same time, the function waits for it if p_wait is true. It skips accounts that do not exist, for
-- example after a restore.
-- The caller holds the existing wallets. Locks: the accounts (a merge or deletion holds the account first; without
-- waiting, such accounts are skipped), then the new wallets, in order of (account, environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.make_wallets(p_requests wallet.booking_request[], p_wait BOOLEAN) RETURNS TID[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_wallet RECORD;
    v_held TID[];
BEGIN
    FOR v_wallet IN
        SELECT DISTINCT i.account_id, i.environment FROM unnest(p_requests) AS i
        WHERE
            i.operation IN ('book', 'cancel') AND i.account_id IS NOT NULL AND i.environment IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM wallet.wallets AS w WHERE w.account_id = i.account_id AND w.environment = i.environment
            )
        ORDER BY i.account_id, i.environment
    LOOP
        IF p_wait THEN
            PERFORM FROM wallet.accounts AS a WHERE a.account_id = v_wallet.account_id FOR SHARE;
        ELSE
            PERFORM FROM wallet.accounts AS a WHERE a.account_id = v_wallet.account_id FOR SHARE SKIP LOCKED;
        END IF;
        CONTINUE WHEN NOT FOUND;
        INSERT INTO wallet.wallets (account_id, environment) VALUES (v_wallet.account_id, v_wallet.environment)
        ON CONFLICT (account_id, environment) DO NOTHING;
        CONTINUE WHEN NOT FOUND AND NOT p_wait;
        PERFORM wallet.lock_wallet(v_wallet.account_id, v_wallet.environment);
        v_held := v_held || (
            SELECT w.ctid FROM wallet.wallets AS w
            WHERE w.account_id = v_wallet.account_id AND w.environment = v_wallet.environment
        );
    END LOOP;
    RETURN v_held;
END;
$$;
COMMENT ON FUNCTION wallet.make_wallets(wallet.booking_request[], BOOLEAN) IS
'Creates the missing wallets of a batch, and returns the rows that it locked.';
