-- Says whether the cancellation or a move of its class has yet to reach a booking.
-- Called by: wallet.settle_class; the view broken_bookings says the same. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_unsettled(p_booking wallet.bookings) RETURNS BOOLEAN LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT p_booking.status = 'booked' AND (
        c.status = 'cancelled' OR greatest(p_booking.moves_known, p_booking.moves_told) < c.moves
    )
    FROM wallet.classes AS c
    WHERE c.class_id = p_booking.class_id;
$$;
COMMENT ON FUNCTION wallet.is_unsettled(wallet.bookings) IS
'Whether the cancellation or a move of its class has yet to reach a booking.';
