-- Puts what paid for a booking back into the very lots that paid, wherever they are by now, in the order of payment.
-- The caller holds the wallets of all holders. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.return_slices(
    p_booking wallet.bookings,
    p_slices wallet.held_slice[],
    p_reopened_at TIMESTAMPTZ
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_slice wallet.held_slice;
BEGIN
    FOREACH v_slice IN ARRAY p_slices LOOP
        PERFORM wallet.return_to_lot(
            v_slice.account_id, p_booking.environment, v_slice.lot_id, 'return', v_slice.amount, p_booking.booking_id,
            p_reopened_at
        );
        IF v_slice.account_id <> p_booking.account_id THEN
            PERFORM wallet.emit(
                'credits.granted', v_slice.account_id, p_booking.environment, p_booking_id => p_booking.booking_id
            );
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.return_slices(wallet.bookings, wallet.held_slice[], TIMESTAMPTZ) IS
'Puts what paid for a booking back into the very lots that paid.';
