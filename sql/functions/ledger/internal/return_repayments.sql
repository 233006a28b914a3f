-- Returns to the lots that repaid a debt the amount that the debt no longer needs, the last payer first. The lots may
-- belong to other accounts now: the amount returns to them, not to the debtor's current owner. A returned amount first
-- repays other debts of its wallet, as a grant would.
-- Locks: the wallets of payers in other accounts, without waiting, because other locks are already held. Codes: WL503
-- wallet-busy if another transaction holds one.
CREATE OR REPLACE FUNCTION wallet.return_repayments(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_debtor_lot_id UUID,
    p_amount BIGINT
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_left BIGINT := p_amount;
    v_share BIGINT;
    v_is_held BOOLEAN;
    v_repayment wallet.repayments;
BEGIN
    FOR v_repayment IN
        SELECT r.* FROM wallet.repayments AS r
        WHERE r.account_id = p_account_id AND r.debtor_lot_id = p_debtor_lot_id AND r.amount > 0
        ORDER BY r.payer_lot_id DESC
    LOOP
        EXIT WHEN v_left = 0;
        v_share := least(v_left, v_repayment.amount);
        PERFORM FROM wallet.wallets AS w
        WHERE w.account_id = v_repayment.payer_account_id AND w.environment = p_environment
        FOR UPDATE SKIP LOCKED;
        v_is_held := FOUND;
        UPDATE wallet.repayments AS r SET amount = r.amount - v_share
        WHERE
            r.account_id = p_account_id AND r.debtor_lot_id = p_debtor_lot_id
            AND r.payer_account_id = v_repayment.payer_account_id AND r.payer_lot_id = v_repayment.payer_lot_id
            AND v_is_held;
        IF NOT FOUND THEN
            -- Another transaction holds the payer's wallet, or has just moved the payer's lot.
            RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
        END IF;
        PERFORM wallet.return_to_lot(
            v_repayment.payer_account_id, p_environment, v_repayment.payer_lot_id, 'repay_return', v_share, NULL
        );
        PERFORM wallet.repay_debts(v_repayment.payer_account_id, p_environment, v_repayment.payer_lot_id);
        PERFORM wallet.emit(
            'credits.granted', v_repayment.payer_account_id, p_environment,
            p_details => jsonb_build_object('lot_id', v_repayment.payer_lot_id, 'amount', v_share)
        ) WHERE v_repayment.payer_account_id <> p_account_id;
        v_left := v_left - v_share;
    END LOOP;
    IF v_left <> 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'XX001', MESSAGE = 'the repayments of a lot are less than its repaid amount';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.return_repayments(BIGINT, wallet.environment, UUID, BIGINT) IS
'Returns to the lots that repaid a debt the amount that the debt no longer needs.';
