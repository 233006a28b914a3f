-- Locks a wallet's row, creates the wallet if it does not exist, and posts the due expiries. Every transaction that
-- locks a wallet posts them first, so a stopped sweeper makes no difference.
-- Locks: the account of a new wallet, the wallet's row (several wallets in order of account and environment, before any
-- class). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_wallet(p_account_id BIGINT, p_environment wallet.environment)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_next_expiry TIMESTAMPTZ;
BEGIN
    SELECT w.next_expiry INTO v_next_expiry FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment
    FOR UPDATE;
    IF NOT FOUND THEN
        -- An account that is being deleted or merged gets no new wallet meanwhile.
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
COMMENT ON FUNCTION wallet.lock_wallet(BIGINT, wallet.environment) IS 'Locks a wallet and posts its due expiries.';
