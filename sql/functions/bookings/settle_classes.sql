-- Applies the cancellation or move of a class to up to p_limit of its bookings, and returns how many it changed.
-- Returns 0 if there is nothing to do, or if all remaining bookings are locked. A class whose bookings are all locked
-- does not keep the next class from its turn.
-- Locks: an unsettled class that no other transaction settles, then see wallet.settle_class. Codes: none.
CREATE OR REPLACE FUNCTION wallet.settle_classes(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class_id TEXT := '';
    v_settled INTEGER := 0;
BEGIN
    WHILE v_settled = 0 LOOP
        SELECT c.class_id INTO v_class_id FROM wallet.classes AS c
        WHERE NOT c.settled AND c.class_id > v_class_id
        ORDER BY c.class_id
        LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED;
        EXIT WHEN NOT FOUND;
        v_settled := wallet.settle_class(v_class_id, p_limit);
    END LOOP;
    RETURN v_settled;
END;
$$;
COMMENT ON FUNCTION wallet.settle_classes(INTEGER) IS
'Applies the cancellation or move of a class to its bookings, and returns how many it changed.';

-- Applies the cancellation or the last move of one class to up to p_limit of its bookings, and returns how many it
-- changed. Bookings of a cancelled class are cancelled with a full return; users of a moved class are notified, once
-- for each move. If another transaction holds a booking's wallet, the booking is left for the next call. The class is
-- settled when no such booking is left.
-- The caller holds the class. Locks: free wallets (SKIP LOCKED), then the class's seats by environment. Codes: none.
CREATE OR REPLACE FUNCTION wallet.settle_class(p_class_id TEXT, p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_booking wallet.bookings;
    v_bookings CONSTANT wallet.bookings[] := ARRAY(
        SELECT b::wallet.bookings FROM wallet.unsettled_bookings(p_class_id) AS b
        INNER JOIN wallet.wallets AS w ON b.account_id = w.account_id AND b.environment = w.environment
        ORDER BY b.account_id, b.environment
        LIMIT p_limit
        FOR UPDATE OF w SKIP LOCKED
    );
    v_settled INTEGER := 0;
BEGIN
    IF cardinality(v_bookings) = 0 AND EXISTS (SELECT FROM wallet.unsettled_bookings(p_class_id)) THEN
        RETURN 0;
    END IF;
    FOREACH v_booking IN ARRAY v_bookings LOOP
        PERFORM wallet.lock_wallet(v_booking.account_id, v_booking.environment);
    END LOOP;
    PERFORM FROM wallet.class_seats AS s WHERE s.class_id = p_class_id ORDER BY s.environment FOR UPDATE;
    SELECT c.* INTO STRICT v_class FROM wallet.classes AS c WHERE c.class_id = p_class_id;
    IF v_class.status = 'cancelled' THEN
        v_settled := (
            SELECT count(*) FROM wallet.cancel_bookings(v_bookings, 'studio') AS o
            WHERE o.status = 200 AND NOT o.replayed
        );
    ELSE
        FOREACH v_booking IN ARRAY v_bookings LOOP
            v_settled := v_settled + wallet.emit_class_moved(v_class, v_booking)::INTEGER;
        END LOOP;
    END IF;
    UPDATE wallet.classes AS c SET settled = TRUE
    WHERE c.class_id = p_class_id AND NOT EXISTS (SELECT FROM wallet.unsettled_bookings(p_class_id));
    RETURN v_settled;
END;
$$;
COMMENT ON FUNCTION wallet.settle_class(TEXT, INTEGER) IS
'Applies the cancellation or the last move of one class to its bookings, and returns how many it changed.';

-- Returns the bookings of a class to which its cancellation or last move has not been applied yet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.unsettled_bookings(p_class_id TEXT) RETURNS SETOF wallet.bookings
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT b.* FROM wallet.bookings AS b
    INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
    WHERE
        b.class_id = p_class_id AND b.cancelled_at IS NULL
        AND (c.status = 'cancelled' OR greatest(b.moves_seen, b.moves_notified) < c.moves);
$$;
COMMENT ON FUNCTION wallet.unsettled_bookings(TEXT) IS
'Returns the bookings of a class to which its cancellation or last move has not been applied yet.';

-- Applies the last move of a class to a booking that is about to be marked. Otherwise a worker, which comes to the
-- booking later, would remove the new mark together with the one for the old start.
-- The caller holds the wallet. Locks: see wallet.emit_class_moved. Codes: WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.apply_move(p_class wallet.classes, p_booking wallet.bookings) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF
        greatest(p_booking.moves_seen, p_booking.moves_notified) < p_class.moves
        AND NOT wallet.emit_class_moved(p_class, p_booking)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.apply_move(wallet.classes, wallet.bookings) IS
'Applies the last move of a class to a booking that is about to be marked.';

-- Emits an event that the class of a booking was moved, if the booking is active and its user was not notified of this
-- move yet. Returns whether it emitted one. A mark of the attendance was for the old start, so it is removed with its
-- consequence; if another transaction holds the wallet of a lot that paid a fee, the booking is left for the next call.
-- The caller holds the wallet. Locks: without waiting, the wallets that now hold those lots. Codes: none.
CREATE OR REPLACE FUNCTION wallet.emit_class_moved(p_class wallet.classes, p_booking wallet.bookings) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NOT wallet.lock_lot_owners(p_booking.account_id, p_booking.environment, wallet.fee_slices(p_booking)) THEN
        RETURN FALSE;
    END IF;
    UPDATE wallet.bookings AS b SET moves_notified = p_class.moves
    WHERE
        b.account_id = p_booking.account_id AND b.booking_id = p_booking.booking_id AND b.cancelled_at IS NULL
        AND greatest(b.moves_seen, b.moves_notified) < p_class.moves;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    PERFORM wallet.mark_booking(p_booking, NULL, FALSE);
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
