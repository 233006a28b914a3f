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
