-- Holds seats that came free for those who wait, never more than are free.
-- Called by: wallet.set_capacity, which holds the class's seats. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.hold_seats(
    p_class_id TEXT,
    p_environment wallet.environment,
    p_seats INTEGER
) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.class_seats AS s SET
        held = least(s.held + p_seats, s.capacity - s.sold),
        held_round = s.held_round + 1
    WHERE
        s.class_id = p_class_id AND s.environment = p_environment AND p_seats > 0 AND s.sold + s.held < s.capacity
        AND EXISTS (
            SELECT FROM wallet.waitlist AS w WHERE w.class_id = p_class_id AND w.environment = p_environment
        );
$$;
COMMENT ON FUNCTION wallet.hold_seats(TEXT, wallet.environment, INTEGER) IS
'Holds seats that came free for those who wait.';
