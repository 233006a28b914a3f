-- Locks a class with its seats and returns its row after locking; a null row if the class does not exist. The lock
-- serializes operators' changes of a class and the settling of its bookings.
-- Locks: the class's row, then its seats by environment; a transaction that holds them locks no wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_class(p_class_id TEXT) RETURNS wallet.classes LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
BEGIN
    PERFORM FROM wallet.classes AS c WHERE c.class_id = p_class_id FOR NO KEY UPDATE;
    PERFORM FROM wallet.class_seats AS s WHERE s.class_id = p_class_id ORDER BY s.environment FOR UPDATE;
    SELECT c.* INTO v_class FROM wallet.classes AS c WHERE c.class_id = p_class_id;
    RETURN v_class;
END;
$$;
COMMENT ON FUNCTION wallet.lock_class(TEXT) IS 'Locks a class with its seats and returns its row after locking.';

-- Returns whether a class still gives seats to its waitlist: it is scheduled and its cutoff has not passed. After the
-- cutoff, free seats are available to all users.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.waitlist_is_open(p_class wallet.classes) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_class.status = 'scheduled'
        AND wallet.now() < p_class.starts_at - make_interval(mins => p_class.waitlist_cutoff_minutes);
END;
$$;
COMMENT ON FUNCTION wallet.waitlist_is_open(wallet.classes) IS
'Returns whether a class still gives seats to its waitlist.';

-- Reserves freed seats for the waitlist, at most as many as are free, and begins a new round: members passed over
-- before are tried again, from the head of the list. If the waitlist is empty, the class is cancelled or its cutoff has
-- passed, the seats stay available to all users.
-- The caller holds the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reserve_waitlist_seats(
    p_class_id TEXT,
    p_environment wallet.environment,
    p_seats INTEGER
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF
        NOT EXISTS (
            SELECT FROM wallet.waitlist AS w WHERE w.class_id = p_class_id AND w.environment = p_environment
        )
        OR NOT (SELECT wallet.waitlist_is_open(c) FROM wallet.classes AS c WHERE c.class_id = p_class_id)
    THEN
        RETURN;
    END IF;
    UPDATE wallet.class_seats AS s SET
        reserved = least(s.reserved + p_seats, s.capacity - s.sold),
        reservation_round = s.reservation_round + 1
    WHERE
        s.class_id = p_class_id AND s.environment = p_environment AND p_seats > 0
        AND s.sold + s.reserved < s.capacity;
END;
$$;
COMMENT ON FUNCTION wallet.reserve_waitlist_seats(TEXT, wallet.environment, INTEGER) IS
'Reserves freed seats for the waitlist.';

-- Releases the reserved seats of a class to all users if its waitlist is empty.
-- The caller holds the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.release_unneeded_seats(p_class_id TEXT, p_environment wallet.environment) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM wallet.waitlist AS w WHERE w.class_id = p_class_id AND w.environment = p_environment
    ) THEN
        PERFORM wallet.release_reserved_seats(p_class_id, p_environment);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.release_unneeded_seats(TEXT, wallet.environment) IS
'Releases the reserved seats of a class to all users if its waitlist is empty.';

-- Releases the seats reserved for the waitlist to all users.
-- The caller holds the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.release_reserved_seats(p_class_id TEXT, p_environment wallet.environment) RETURNS VOID
LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.class_seats AS s SET reserved = 0
    WHERE s.class_id = p_class_id AND s.environment = p_environment AND s.reserved > 0;
$$;
COMMENT ON FUNCTION wallet.release_reserved_seats(TEXT, wallet.environment) IS
'Releases the seats reserved for the waitlist to all users.';
