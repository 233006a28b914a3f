-- Says whether an item's class has seats that the group does not hold, because somebody else does. A class that does
-- not exist has none to hold.
-- p_seats_held: the seats that the group holds, each as 'environment class'.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lacks_seats(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_operation TEXT,
    p_booking_id UUID,
    p_class_id TEXT,
    p_seats_held TEXT[]
) RETURNS BOOLEAN LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class_id TEXT := p_class_id;
BEGIN
    IF p_operation = 'cancel' THEN
        SELECT b.class_id INTO v_class_id FROM wallet.bookings AS b
        WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    END IF;
    RETURN p_environment || ' ' || v_class_id <> ALL(p_seats_held) AND EXISTS (
        SELECT FROM wallet.class_seats AS s WHERE s.class_id = v_class_id AND s.environment = p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.lacks_seats(BIGINT, wallet.environment, TEXT, UUID, TEXT, TEXT[]) IS
'Whether an item''s class has seats that the group does not hold.';
