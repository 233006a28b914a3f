-- Counts a booking's seats as sold: those of a promoted booking come first from the held ones. Whoever booked waits no
-- longer, and once nobody waits the seats still held are anybody's.
-- The caller holds the class's seats and has found enough of them free. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.take_seats(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT,
    p_seats INTEGER,
    p_promoted BOOLEAN
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    UPDATE wallet.class_seats AS s SET
        sold = s.sold + p_seats,
        -- After the cutoff a booking may take held seats before anybody has released them.
        held = least(
            CASE WHEN p_promoted THEN greatest(s.held - p_seats, 0) ELSE s.held END,
            s.capacity - s.sold - p_seats
        )
    WHERE s.class_id = p_class_id AND s.environment = p_environment;
    DELETE FROM wallet.waitlist AS w
    WHERE w.class_id = p_class_id AND w.environment = p_environment AND w.account_id = p_account_id;
    IF FOUND THEN
        PERFORM wallet.release_unwaited(p_class_id, p_environment);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.take_seats(BIGINT, wallet.environment, TEXT, INTEGER, BOOLEAN) IS
'Counts a booking''s seats as sold.';
