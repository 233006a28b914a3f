-- Repays the wallet's debts in a lot's unit from that lot, the oldest debt first. While the owner's account exists,
-- released lots repay only debts of released lots, and other lots only debts of other lots.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.repay_debts(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_payer_lot_id UUID
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_payer wallet.lots;
    v_debtor wallet.lots;
    v_share BIGINT;
BEGIN
    SELECT l.* INTO STRICT v_payer FROM wallet.lots AS l
    WHERE l.account_id = p_account_id AND l.lot_id = p_payer_lot_id;
    FOR v_debtor IN
        SELECT l.* FROM wallet.lots AS l
        WHERE
            l.account_id = p_account_id AND l.environment = p_environment AND l.unit = v_payer.unit
            AND l.owed > 0 AND l.lot_id <> p_payer_lot_id
            -- A released lot's debt will leave the account together with the lot, so lots that stay do not repay it.
            AND ((l.released_at IS NULL) = (v_payer.released_at IS NULL) OR EXISTS (
                SELECT FROM wallet.accounts AS a WHERE a.account_id = p_account_id AND a.deleted_at IS NOT NULL
            ))
        ORDER BY l.lot_id
    LOOP
        v_share := least(v_payer.remaining, v_debtor.owed);
        EXIT WHEN v_share = 0;
        UPDATE wallet.lots AS l SET repaid = l.repaid + v_share
        WHERE l.account_id = p_account_id AND l.lot_id = v_debtor.lot_id;
        INSERT INTO wallet.repayments (account_id, debtor_lot_id, payer_account_id, payer_lot_id, amount)
        VALUES (p_account_id, v_debtor.lot_id, p_account_id, p_payer_lot_id, v_share)
        ON CONFLICT (account_id, debtor_lot_id, payer_lot_id)
        DO UPDATE SET amount = wallet.repayments.amount + excluded.amount;
        PERFORM wallet.post_lot(
            p_account_id, p_environment, p_payer_lot_id, 'repay',
            p_spent => v_share, p_owed_elsewhere => -v_share, p_claim_id => v_debtor.claim_id
        );
        v_payer.remaining := v_payer.remaining - v_share;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.repay_debts(BIGINT, wallet.environment, UUID) IS
'Repays debts of the wallet from a lot, in the lot''s unit.';
