-- Returns the next waitlist entry for a class's reserved seats: the first one that this round has not passed over.
-- Returns null if no seat is reserved.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.next_waiting(p_class_id TEXT, p_environment wallet.environment)
RETURNS wallet.waitlist LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT w.* FROM wallet.waitlist AS w
    INNER JOIN wallet.class_seats AS s ON w.class_id = s.class_id AND w.environment = s.environment
    WHERE
        w.class_id = p_class_id AND w.environment = p_environment AND s.reserved > 0
        AND w.passed_round < s.reservation_round
    ORDER BY w.entry_id
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.next_waiting(TEXT, wallet.environment) IS
'Returns the next waitlist entry for a class''s reserved seats.';
