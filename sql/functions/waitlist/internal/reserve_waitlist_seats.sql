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
