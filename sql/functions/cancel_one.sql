-- Cancels one booking whose wallet and seats are locked: frees the seats and, up to the booking's own deadline, puts
-- every slice back into the lot that paid it, wherever that lot is by now. A later cancellation returns nothing.
-- Cancelling again answers the same.
-- p_by: 'user', 'studio' (always returns) or 'wallet'.
-- Called by: wallet.book_batch, wallet.cancel_upcoming, wallet.cancel_doubles. Locks: the wallet that a lot has moved
-- to, without waiting. Codes, in the answer: 404 booking-not-found, 409 not-cancellable, 503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.cancel_one(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_by TEXT
) RETURNS wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking wallet.bookings;
    v_slice RECORD;
    v_slices wallet.held_slice[] := '{}';
    v_holder BIGINT;
    v_now TIMESTAMPTZ;
    v_returns BOOLEAN;
BEGIN
    SELECT b.* INTO v_booking FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    IF NOT FOUND THEN
        RETURN wallet.refusal(404, 'booking-not-found', NULL);
    ELSIF v_booking.status = 'cancelled' THEN
        RETURN wallet.booking_answer(200, TRUE, p_account_id, p_booking_id);
    END IF;
    v_now := wallet.now();
    IF p_by = 'user' AND v_now >= (SELECT c.starts_at FROM wallet.classes AS c WHERE c.class_id = v_booking.class_id) THEN
        RETURN wallet.refusal(409, 'not-cancellable', NULL);
    END IF;
    v_returns := p_by <> 'user' OR v_now <= v_booking.free_until;
    IF v_returns THEN
        v_slices := wallet.booking_slices(v_booking);
        -- Seats are locked by now, so a wallet that is not may be taken only if nobody holds it.
        FOR v_holder IN
            SELECT DISTINCT s.account_id FROM unnest(v_slices) AS s WHERE s.account_id <> p_account_id
        LOOP
            PERFORM FROM wallet.wallets AS w
            WHERE w.account_id = v_holder AND w.environment = p_environment
            FOR UPDATE SKIP LOCKED;
            IF NOT FOUND THEN
                RETURN wallet.refusal(503, 'wallet-busy', NULL);
            END IF;
        END LOOP;
    END IF;
    UPDATE wallet.bookings AS b SET
        status = 'cancelled',
        cancelled_at = v_now,
        cancelled_by = p_by,
        returned = CASE WHEN v_returns THEN b.amount ELSE 0 END
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
    FOR v_slice IN SELECT s.* FROM unnest(v_slices) WITH ORDINALITY AS s (account_id, lot_id, amount, place)
        ORDER BY s.place
    LOOP
        PERFORM wallet.return_to_lot(
            v_slice.account_id, p_environment, v_slice.lot_id, 'return', v_slice.amount, p_booking_id
        );
        IF v_slice.account_id <> p_account_id THEN
            PERFORM wallet.emit(
                'credits.granted', v_slice.account_id, p_environment, p_booking_id => p_booking_id
            );
        END IF;
    END LOOP;
    PERFORM wallet.free_seats(v_booking.class_id, p_environment, v_booking.seats);
    PERFORM wallet.emit('booking.cancelled', p_account_id, p_environment, p_booking_id => p_booking_id);
    RETURN wallet.booking_answer(200, FALSE, p_account_id, p_booking_id);
END;
$$;
COMMENT ON FUNCTION wallet.cancel_one(BIGINT, wallet.environment, UUID, TEXT) IS
'Cancels one booking whose wallet and seats are locked.';
