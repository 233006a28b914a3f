-- Locks two accounts in order of their ids. The lock on the first account keeps it from gaining anything new, because a
-- transaction that creates something for an account holds it in share mode. A transaction that holds a wallet and needs
-- only a key-share lock on its account waits for neither. Refuses if the second account was deleted or merged
-- meanwhile.
-- Locks: both accounts, by id. Codes: WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.lock_accounts(p_from BIGINT, p_to BIGINT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    FOR v_turn IN 1 .. 2 LOOP
        IF (v_turn = 1) = (p_from < p_to) THEN
            PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_from FOR NO KEY UPDATE;
        ELSE
            PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_to FOR SHARE;
        END IF;
    END LOOP;
    IF EXISTS (
        SELECT FROM wallet.accounts AS a
        WHERE a.account_id = p_to AND (a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL)
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.lock_accounts(BIGINT, BIGINT) IS 'Locks two accounts in order.';
