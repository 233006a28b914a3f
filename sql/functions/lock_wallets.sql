-- Locks the wallets of a group in one order, making those that are missing, and posts their due expiries. Answers the
-- wallets that it holds, each as 'environment account'; without waiting it passes over those that somebody else holds.
-- Called by: wallet.book_batch. Locks: the accounts whose wallets are missing, by id; then wallets in order of
-- (account, environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_wallets(
    p_account_ids BIGINT[],
    p_environments wallet.environment[],
    p_operations TEXT[],
    p_wait BOOLEAN
) RETURNS TEXT[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_wallet RECORD;
    v_held TEXT[] := '{}';
BEGIN
    -- Whoever merges or deletes them holds the account before any wallet, and so does who makes one.
    PERFORM FROM wallet.accounts AS a
    WHERE a.account_id IN (
        SELECT i.account_id
        FROM unnest(p_account_ids, p_environments, p_operations) AS i (account_id, environment, operation)
        WHERE i.operation IN ('book', 'cancel') AND NOT EXISTS (
            SELECT FROM wallet.wallets AS w WHERE w.account_id = i.account_id AND w.environment = i.environment
        )
    )
    ORDER BY a.account_id
    FOR SHARE;
    FOR v_wallet IN
        SELECT DISTINCT i.account_id, i.environment
        FROM unnest(p_account_ids, p_environments, p_operations) AS i (account_id, environment, operation)
        WHERE i.operation IN ('book', 'cancel') AND i.account_id IS NOT NULL AND i.environment IS NOT NULL
        ORDER BY i.account_id, i.environment
    LOOP
        IF NOT p_wait THEN
            PERFORM FROM wallet.wallets AS w
            WHERE w.account_id = v_wallet.account_id AND w.environment = v_wallet.environment
            FOR UPDATE SKIP LOCKED;
            CONTINUE WHEN NOT FOUND AND EXISTS (
                SELECT FROM wallet.wallets AS w
                WHERE w.account_id = v_wallet.account_id AND w.environment = v_wallet.environment
            );
        END IF;
        PERFORM wallet.lock_wallet(v_wallet.account_id, v_wallet.environment);
        v_held := v_held || (v_wallet.environment || ' ' || v_wallet.account_id);
    END LOOP;
    RETURN v_held;
END;
$$;
COMMENT ON FUNCTION wallet.lock_wallets(BIGINT[], wallet.environment[], TEXT[], BOOLEAN) IS
'Locks the wallets of a group in one order and tells which it holds.';
