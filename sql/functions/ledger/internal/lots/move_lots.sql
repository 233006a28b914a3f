-- Moves lots of one account to another, with the claims that paid for them. A lot keeps its id and its counters. The
-- row that stays behind has zero amounts and names the new account. Repayments between two lots stay valid wherever the
-- lots are: repaid debts stay repaid, and the amount returns to the payer if the debt is undone. A moved lot lapses if
-- it is due, and repays debts of the new wallet, as a grant would.
-- The caller holds the claims. Locks: both wallets, in order of account, then the lots' repayments by debtor and payer.
-- Codes: none.
CREATE OR REPLACE FUNCTION wallet.move_lots(
    p_from BIGINT,
    p_to BIGINT,
    p_environment wallet.environment,
    p_lot_ids UUID[]
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_ids UUID[];
    v_lot_id UUID;
BEGIN
    PERFORM wallet.lock_wallet(least(p_from, p_to), p_environment);
    PERFORM wallet.lock_wallet(greatest(p_from, p_to), p_environment);
    v_lot_ids := ARRAY(
        SELECT l.lot_id FROM wallet.lots AS l
        WHERE
            l.account_id = p_from AND l.environment = p_environment AND l.lot_id = ANY(p_lot_ids)
            AND l.moved_to IS NULL
        ORDER BY l.lot_id
    );
    IF p_from = p_to OR cardinality(v_lot_ids) = 0 THEN
        RETURN;
    END IF;
    FOREACH v_lot_id IN ARRAY v_lot_ids LOOP
        PERFORM wallet.move_lot(p_from, p_to, v_lot_id);
    END LOOP;
    -- A concurrent transaction may be moving the other lot of a repayment.
    PERFORM FROM wallet.repayments AS r
    WHERE
        (r.account_id = p_from AND r.debtor_lot_id = ANY(v_lot_ids))
        OR (r.payer_account_id = p_from AND r.payer_lot_id = ANY(v_lot_ids))
    ORDER BY r.debtor_lot_id, r.payer_lot_id
    FOR UPDATE;
    UPDATE wallet.repayments AS r SET account_id = p_to
    WHERE r.account_id = p_from AND r.debtor_lot_id = ANY(v_lot_ids);
    UPDATE wallet.repayments AS r SET payer_account_id = p_to
    WHERE r.payer_account_id = p_from AND r.payer_lot_id = ANY(v_lot_ids);
    PERFORM wallet.lapse_due(p_from, p_environment);
    PERFORM wallet.lapse_due(p_to, p_environment);
    FOREACH v_lot_id IN ARRAY v_lot_ids LOOP
        PERFORM wallet.repay_debts(p_to, p_environment, v_lot_id);
    END LOOP;
    PERFORM wallet.emit('credits.transferred', p_to, p_environment);
END;
$$;
COMMENT ON FUNCTION wallet.move_lots(BIGINT, BIGINT, wallet.environment, UUID[]) IS
'Moves lots of one account to another, with the claims that paid for them.';
