-- Locks the wallets of other accounts that now hold the given lots, or lots that repaid their debts. Returns false if
-- one of them is not free. Seats are already locked at this point, so the function must not wait for a wallet.
-- Locks: those wallets, without waiting. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_lot_owners(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_slices wallet.owned_slice[]
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_owner BIGINT;
BEGIN
    FOR v_owner IN
        WITH RECURSIVE holders (account_id, lot_id) AS (
            SELECT s.account_id, s.lot_id FROM unnest(p_slices) AS s
            UNION
            SELECT r.payer_account_id, r.payer_lot_id FROM holders AS h
            INNER JOIN wallet.repayments AS r
                ON h.account_id = r.account_id AND h.lot_id = r.debtor_lot_id AND r.amount > 0
        )

        SELECT DISTINCT h.account_id FROM holders AS h WHERE h.account_id <> p_account_id
    LOOP
        PERFORM FROM wallet.wallets AS w
        WHERE w.account_id = v_owner AND w.environment = p_environment
        FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN FALSE;
        END IF;
    END LOOP;
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.lock_lot_owners(BIGINT, wallet.environment, wallet.owned_slice[]) IS
'Locks the wallets that now hold the given lots; returns false if another transaction holds one of them.';
