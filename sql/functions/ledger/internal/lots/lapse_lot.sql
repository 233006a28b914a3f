-- Lapses the remaining amount of an expired lot, and applies a plan's rollover. Does nothing if the lot has not
-- expired.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lapse_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_id UUID,
    p_booking_id UUID DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot wallet.lots;
BEGIN
    SELECT l.* INTO v_lot FROM wallet.lots AS l
    WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id AND l.is_open AND l.expires_at <= wallet.now();
    IF FOUND THEN
        PERFORM wallet.post_lot(
            p_account_id, p_environment, p_lot_id, 'lapse', p_lapsed => v_lot.remaining, p_booking_id => p_booking_id
        );
        PERFORM wallet.emit(
            'credits.expired', p_account_id, p_environment, v_lot.claim_id,
            p_details => jsonb_build_object('lot_id', p_lot_id, 'amount', v_lot.remaining)
        );
        IF v_lot.source = 'plan' AND v_lot.claim_id IS NOT NULL THEN
            PERFORM wallet.roll_over(v_lot.claim_id);
        END IF;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.lapse_lot(BIGINT, wallet.environment, UUID, UUID) IS
'Lapses the remaining amount of an expired lot.';
