-- Emits an event that the class of a booking was moved, if the booking is active and its user was not notified of this
-- move yet. Returns whether it emitted one.
-- The caller holds the wallet and the seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.emit_class_moved(p_class wallet.classes, p_booking wallet.bookings) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    UPDATE wallet.bookings AS b SET moves_notified = p_class.moves
    WHERE
        b.account_id = p_booking.account_id AND b.booking_id = p_booking.booking_id AND b.cancelled_at IS NULL
        AND greatest(b.moves_seen, b.moves_notified) < p_class.moves;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    -- The event contains the times of this move, even if it is delivered after a later move.
    PERFORM wallet.emit(
        'booking.moved', p_booking.account_id, p_booking.environment, p_booking_id => p_booking.booking_id,
        p_details => jsonb_build_object(
            'starts_at', wallet.rfc3339(p_class.starts_at), 'ends_at', wallet.rfc3339(p_class.ends_at),
            'free_until', wallet.rfc3339(p_class.starts_at)
        )
    );
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.emit_class_moved(wallet.classes, wallet.bookings) IS
'Emits an event that the class of a booking was moved, once for each move.';
