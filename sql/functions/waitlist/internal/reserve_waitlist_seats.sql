-- Reserves seats that came free for those who wait, never more than are free, and begins a new round: members passed
-- over is asked again, from the head of the list. Where nobody waits, the class is cancelled or its cutoff is past,
-- the seats stay anybody's.
-- The caller holds the class's seats. Locks: none of its own. Codes: none.
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
'Holds seats that came free for those who wait.';
