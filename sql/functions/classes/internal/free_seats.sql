-- Takes sold seats back, the only way by which they return: while somebody waits they are held for the waitlist, else
-- they are anybody's.
-- The caller holds the class's seats. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.free_seats(
    p_class_id TEXT,
    p_environment wallet.environment,
    p_seats INTEGER
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    UPDATE wallet.class_seats AS s SET sold = s.sold - p_seats
    WHERE s.class_id = p_class_id AND s.environment = p_environment;
    PERFORM wallet.hold_seats(p_class_id, p_environment, p_seats);
END;
$$;
COMMENT ON FUNCTION wallet.free_seats(TEXT, wallet.environment, INTEGER) IS
'Takes sold seats back: for the waitlist while somebody waits, else for anybody.';
