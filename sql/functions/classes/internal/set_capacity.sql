-- Sets the number of seats of a class in each environment. It never removes sold seats, but may remove reserved ones.
-- Added seats are reserved for the waitlist. If the class was moved, all free seats are.
-- The caller holds the seats. Locks: no others. Codes: WL409 capacity-below-sold.
CREATE OR REPLACE FUNCTION wallet.set_capacity(p_class_id TEXT, p_capacity INTEGER, p_moved BOOLEAN) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_sold CONSTANT INTEGER := (
        SELECT max(s.sold) FROM wallet.class_seats AS s WHERE s.class_id = p_class_id
    );
    v_seats wallet.class_seats;
BEGIN
    IF p_capacity < v_sold THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'capacity-below-sold',
            DETAIL = jsonb_build_object('seats_sold', v_sold, 'capacity', p_capacity)::TEXT;
    END IF;
    FOR v_seats IN
        SELECT s.* FROM wallet.class_seats AS s WHERE s.class_id = p_class_id ORDER BY s.environment
    LOOP
        UPDATE wallet.class_seats AS s SET capacity = p_capacity, reserved = least(s.reserved, p_capacity - s.sold)
        WHERE s.class_id = p_class_id AND s.environment = v_seats.environment;
        PERFORM wallet.reserve_waitlist_seats(p_class_id, v_seats.environment, CASE
            WHEN p_moved THEN p_capacity - v_seats.sold ELSE greatest(p_capacity - v_seats.capacity, 0)
        END);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.set_capacity(TEXT, INTEGER, BOOLEAN) IS
'Sets the number of seats of a class in each environment.';
