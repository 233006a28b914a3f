-- Cancels one booking whose wallet and seats are locked: frees the seats and, up to the booking's own deadline, puts
-- every slice back into the lot that paid it, wherever that lot is by now. A later cancellation returns nothing.
-- Cancelling again answers the same.
-- p_by: 'user', 'studio' (always returns) or 'wallet' (returns until the class begins: what was taken stays paid).
-- A booking from before its class was moved is free to cancel until the new start. One of a class that the studio
-- cancelled is the studio's cancellation, whoever comes first. Both give expired lots their days of grace.
-- Locks: the wallet that a lot has moved to, without waiting. Codes, in the answer: 404 booking-not-found, 409
-- not-cancellable, 503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.cancel_one(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_by TEXT
) RETURNS wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking wallet.bookings;
    v_class wallet.classes;
    v_slices wallet.held_slice[] := '{}';
    v_now TIMESTAMPTZ;
    v_moved BOOLEAN;
    v_by TEXT := p_by;
BEGIN
    SELECT b.* INTO v_booking FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    IF NOT FOUND THEN
        RETURN wallet.refusal(404, 'booking-not-found', NULL);
    ELSIF v_booking.status = 'cancelled' THEN
        RETURN wallet.booking_answer(200, TRUE, p_account_id, p_booking_id);
    END IF;
    v_now := wallet.now();
    SELECT c.* INTO STRICT v_class FROM wallet.classes AS c WHERE c.class_id = v_booking.class_id;
    IF v_class.status = 'cancelled' THEN
        v_by := 'studio';
    ELSIF p_by = 'user' AND v_now >= v_class.starts_at THEN
        RETURN wallet.refusal(409, 'not-cancellable', NULL);
    END IF;
    v_moved := v_booking.moves_known < v_class.moves;
    IF v_moved THEN
        v_booking.free_until := v_class.starts_at;
    END IF;
    IF
        v_by = 'studio' OR v_now <= v_booking.free_until
        OR (v_by = 'wallet' AND v_now < v_class.starts_at)
    THEN
        v_slices := wallet.booking_slices(v_booking);
        IF NOT wallet.hold_holders(p_account_id, p_environment, v_slices) THEN
            RETURN wallet.refusal(503, 'wallet-busy', NULL);
        END IF;
        v_booking.returned := v_booking.amount;
    END IF;
    UPDATE wallet.bookings AS b SET
        status = 'cancelled',
        cancelled_at = v_now,
        cancelled_by = v_by,
        returned = coalesce(v_booking.returned, 0),
        -- Later moves of the class change nothing any more.
        free_until = v_booking.free_until,
        moves_told = v_class.moves
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
    PERFORM wallet.return_slices(v_booking, v_slices, CASE WHEN v_by = 'studio' OR v_moved THEN v_now END);
    PERFORM wallet.free_seats(v_booking.class_id, p_environment, v_booking.seats);
    PERFORM wallet.emit('booking.cancelled', p_account_id, p_environment, p_booking_id => p_booking_id);
    RETURN wallet.booking_answer(200, FALSE, p_account_id, p_booking_id);
END;
$$;
COMMENT ON FUNCTION wallet.cancel_one(BIGINT, wallet.environment, UUID, TEXT) IS
'Cancels one booking whose wallet and seats are locked.';
