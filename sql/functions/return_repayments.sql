-- Gives back to the lots that repaid a debt what the debt no longer needs, the last payer first. What comes back
-- repays the wallet's other debts, as the grant would have done, before it is spendable.
-- Called by: wallet.post_lot. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.return_repayments(
    p_account_id bigint,
    p_environment wallet.environment,
    p_debtor_lot_id uuid,
    p_amount bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_left bigint := p_amount;
    v_share bigint;
    v_repayment wallet.repayments;
BEGIN
    FOR v_repayment IN
        SELECT r.* FROM wallet.repayments AS r
        WHERE r.account_id = p_account_id AND r.debtor_lot_id = p_debtor_lot_id AND r.amount > 0
        ORDER BY r.payer_lot_id DESC
    LOOP
        EXIT WHEN v_left = 0;
        v_share := least(v_left, v_repayment.amount);
        UPDATE wallet.repayments AS r SET amount = r.amount - v_share
        WHERE
            r.account_id = p_account_id AND r.debtor_lot_id = p_debtor_lot_id
            AND r.payer_lot_id = v_repayment.payer_lot_id;
        PERFORM wallet.return_to_lot(
            p_account_id, p_environment, v_repayment.payer_lot_id, 'repay_return', v_share, NULL
        );
        PERFORM wallet.repay_debts(p_account_id, p_environment, v_repayment.payer_lot_id);
        v_left := v_left - v_share;
    END LOOP;
    IF v_left <> 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'XX001', MESSAGE = 'repayments do not cover what a lot says was repaid';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.return_repayments(bigint, wallet.environment, uuid, bigint) IS
'Gives back to the lots that repaid a debt what the debt no longer needs.';
