-- Locks an account that is about to be deleted or merged, together with its claims. The claims come first, in the same
-- order as in a transaction that applies facts, then the account, so that it cannot gain new claims. If it gained
-- claims while this function waited, the locks are taken again from the start.
-- p_to: the account that it is merged into; null for none.
-- Locks: the account's claims by id, then both accounts by id. Codes: WL503 wallet-busy (see wallet.lock_accounts).
CREATE OR REPLACE FUNCTION wallet.lock_account_and_claims(p_account_id BIGINT, p_to BIGINT DEFAULT NULL) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_held BIGINT[];
BEGIN
    LOOP
        BEGIN
            v_held := ARRAY(
                SELECT c.claim_id FROM wallet.claims AS c WHERE c.account_id = p_account_id
                ORDER BY c.claim_id
                FOR NO KEY UPDATE
            );
            IF p_to IS NULL THEN
                PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR NO KEY UPDATE;
            ELSE
                PERFORM wallet.lock_accounts(p_account_id, p_to);
            END IF;
            EXIT WHEN NOT EXISTS (
                SELECT FROM wallet.claims AS c
                WHERE c.account_id = p_account_id AND c.claim_id NOT IN (SELECT unnest(v_held))
            );
            -- The account has gained claims: the subtransaction's rollback releases the locks, and the loop takes all
            -- of them in order.
            RAISE EXCEPTION USING ERRCODE = 'WL100', MESSAGE = 'again';
        EXCEPTION
            WHEN SQLSTATE 'WL100' THEN NULL;
        END;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.lock_account_and_claims(BIGINT, BIGINT) IS
'Locks an account that is about to be deleted or merged, together with its claims.';

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
