-- Returns the payment of a cancelled booking to the lots that paid, in the order of payment, and answers the
-- cancellation. The lots may belong to other accounts now. If a lot has ended and the studio cancelled or moved the
-- class, the lot reopens for its days of grace.
-- The caller holds the wallets of all holders. Locks: no others. Codes: none.
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
'Returns the payment of a booking to the lots that paid.';
