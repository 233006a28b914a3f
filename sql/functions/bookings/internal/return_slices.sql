-- Puts what paid for a booking that was cancelled back into the very lots that paid, wherever they are by now, in the
-- order of payment, and answers the cancellation. A lot that has ended meanwhile has its days of grace if the studio
-- cancelled or moved the class.
-- The caller holds the wallets of all holders. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.return_slices(p_item wallet.batch_item, p_now TIMESTAMPTZ)
RETURNS wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_slices CONSTANT wallet.owned_slice[] := (
        SELECT wallet.booking_slices(b) FROM wallet.bookings AS b
        WHERE b.account_id = p_item.account_id AND b.booking_id = p_item.booking_id
    );
    v_slice wallet.owned_slice;
BEGIN
    FOREACH v_slice IN ARRAY v_slices LOOP
        PERFORM wallet.return_to_lot(
            v_slice.account_id, p_item.environment, v_slice.lot_id, 'return', v_slice.amount, p_item.booking_id,
            CASE WHEN p_item.cancelled_by = 'studio' OR p_item.moved THEN p_now END
        );
        IF v_slice.account_id <> p_item.account_id THEN
            PERFORM wallet.emit(
                'credits.granted', v_slice.account_id, p_item.environment, p_booking_id => p_item.booking_id
            );
        END IF;
    END LOOP;
    PERFORM wallet.emit(
        'booking.cancelled', p_item.account_id, p_item.environment, p_booking_id => p_item.booking_id
    );
    RETURN wallet.booking_answer(200, FALSE, p_item.account_id, p_item.booking_id);
END;
$$;
COMMENT ON FUNCTION wallet.return_slices(wallet.batch_item, TIMESTAMPTZ) IS
'Puts what paid for a booking back into the very lots that paid.';
