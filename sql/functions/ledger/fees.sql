-- Charges a fee in credits for a booking, in burn order. If the lots are insufficient, the wallet owes the rest: a lot
-- of the fee itself has been granted, spent on the fee and taken back, so that later grants repay it like any debt.
-- Returns the number of entries. The caller holds the wallet, whose due expiries are posted.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.charge_fee(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_amount BIGINT,
    p_booking_id UUID
) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan CONSTANT wallet.booking_plan := wallet.allocate_lots(
        p_account_id, p_environment, 'credit', p_amount, wallet.now()
    );
    v_count CONSTANT INTEGER := cardinality(v_plan.lot_ids);
    v_owed BIGINT := p_amount;
    v_lot_id UUID;
BEGIN
    FOR v_slice IN 1 .. v_count LOOP
        PERFORM wallet.post_lot(
            p_account_id, p_environment, v_plan.lot_ids[v_slice], 'fee', p_spent => v_plan.amounts[v_slice],
            p_booking_id => p_booking_id
        );
        v_owed := v_owed - v_plan.amounts[v_slice];
    END LOOP;
    IF v_owed = 0 THEN
        RETURN v_count;
    END IF;
    v_lot_id := wallet.new_id();
    INSERT INTO wallet.lots (account_id, lot_id, environment, unit, source, granted, created_at)
    VALUES (p_account_id, v_lot_id, p_environment, 'credit', 'fee', 0, wallet.now());
    PERFORM wallet.post_lot(
        p_account_id, p_environment, v_lot_id, 'fee', p_granted => v_owed, p_spent => v_owed, p_refunded => v_owed,
        p_booking_id => p_booking_id
    );
    RETURN v_count + 1;
END;
$$;
COMMENT ON FUNCTION wallet.charge_fee(BIGINT, wallet.environment, BIGINT, UUID) IS
'Charges a fee in credits in burn order; the wallet owes what its lots cannot pay.';
