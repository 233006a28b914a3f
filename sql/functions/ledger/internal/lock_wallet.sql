-- Locks a wallet's row, making the wallet when it is first needed, and posts what has expired by now. A transaction
-- that locks first posts, so a stopped sweeper changes nothing.
-- Locks: the account of a wallet that is made, the wallet's row (wallets in order of account and environment when
-- several are needed, before any class). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_wallet(p_account_id BIGINT, p_environment wallet.environment)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_next_expiry TIMESTAMPTZ;
BEGIN
    SELECT w.next_expiry INTO v_next_expiry FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment
    FOR UPDATE;
    IF NOT FOUND THEN
        -- An account that is being deleted or merged has no new wallet meanwhile.
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR SHARE;
        INSERT INTO wallet.wallets (account_id, environment) VALUES (p_account_id, p_environment)
        ON CONFLICT (account_id, environment) DO NOTHING;
        SELECT w.next_expiry INTO STRICT v_next_expiry FROM wallet.wallets AS w
        WHERE w.account_id = p_account_id AND w.environment = p_environment
        FOR UPDATE;
    END IF;
    IF v_next_expiry <= wallet.now() THEN
        PERFORM wallet.lapse_due(p_account_id, p_environment);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.lock_wallet(BIGINT, wallet.environment) IS
'Locks a wallet and posts what has expired by now.';
