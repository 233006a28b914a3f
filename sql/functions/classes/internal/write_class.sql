-- Creates or changes a class, with the same number of seats in each environment. The given values replace all old ones,
-- and a null limit does not apply. A changed price affects later bookings only. Changing the start while the class has
-- bookings or a waitlist is a move: booked users are notified and may cancel free of charge until the new start. A
-- class that has begun keeps its times, and no class can be created in the past or moved there. Differences of less
-- than a second are ignored, because the interface shows whole seconds.
-- p_class: the new values; its status and counts are ignored.
-- Locks: the class and its seats by environment. Codes: WL409 capacity-below-sold, WL409 class-closed, WL422
-- class-in-the-past.
CREATE OR REPLACE FUNCTION wallet.write_class(
    p_class wallet.classes,
    p_capacity INTEGER,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_moved BOOLEAN;
    v_known CONSTANT BOOLEAN := EXISTS (SELECT FROM wallet.classes AS c WHERE c.class_id = p_class.class_id);
    v_before JSONB := '{}';
BEGIN
    IF NOT v_known AND p_class.starts_at <= wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'class-in-the-past',
            HINT = 'The start of a new class must be in the future. Check the year and the time zone.';
    END IF;
    PERFORM wallet.add_class(
        p_class.class_id, p_class.title, p_class.starts_at, p_class.ends_at, p_capacity, p_class.price_credits,
        p_class.price_visits, p_class.free_minutes_before
    );
    v_class := wallet.lock_class(p_class.class_id);
    IF v_known THEN
        v_before := wallet.class_state(p_class.class_id);
    END IF;
    v_moved := wallet.moves_class(v_class, p_class.starts_at, p_class.ends_at);
    UPDATE wallet.classes AS c SET
        title = p_class.title,
        starts_at = p_class.starts_at,
        ends_at = p_class.ends_at,
        price_credits = p_class.price_credits,
        price_visits = p_class.price_visits,
        free_minutes_before = p_class.free_minutes_before,
        max_seats = p_class.max_seats,
        days_ahead = p_class.days_ahead,
        opens_minutes_before = p_class.opens_minutes_before,
        closes_minutes_before = p_class.closes_minutes_before,
        max_overlaps = p_class.max_overlaps,
        waitlist_cutoff_minutes = p_class.waitlist_cutoff_minutes,
        moves = c.moves + v_moved::INTEGER,
        settled = c.settled AND NOT v_moved,
        updated_at = wallet.now()
    WHERE c.class_id = p_class.class_id;
    PERFORM wallet.set_capacity(p_class.class_id, p_capacity, v_moved);
    RETURN wallet.record_action(
        p_note, 'put-class', 'class', p_class.class_id, v_before, wallet.class_state(p_class.class_id)
    );
END;
$$;
COMMENT ON FUNCTION wallet.write_class(wallet.classes, INTEGER, wallet.action_note) IS
'Creates or changes a class, with the same number of seats in each environment.';
