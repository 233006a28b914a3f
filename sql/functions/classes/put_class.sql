-- Makes or changes a class, with as many seats in each environment. It is a full replacement: a limit that is not given
-- is none. A changed price is for later bookings only. Another start while somebody has booked or waits is a move: who
-- has booked is notified and may cancel freely until the new start. A class that has begun keeps its times, and
-- nobody's class is moved into the past. Times closer than a second are the same: the interface shows whole seconds.
-- Locks: the operator's key, then the class and its seats by environment. Codes: WL403 right-missing, WL409
-- capacity-below-sold, WL409 class-closed, WL422 idempotency-key-reused.
CREATE OR REPLACE FUNCTION wallet.put_class(
    p_class_id TEXT,
    p_title TEXT,
    p_starts_at TIMESTAMPTZ,
    p_ends_at TIMESTAMPTZ,
    p_capacity INTEGER,
    p_price_credits BIGINT,
    p_price_visits BIGINT,
    p_free_minutes_before INTEGER,
    p_actor TEXT,
    p_key TEXT,
    p_limits wallet.class_limits DEFAULT NULL,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_moved BOOLEAN;
    v_known BOOLEAN;
    v_before JSONB := '{}';
BEGIN
    PERFORM wallet.check_right('put-class', p_right);
    p_limits.waitlist_cutoff_minutes := coalesce(p_limits.waitlist_cutoff_minutes, 60);
    IF wallet.operator_replays(p_actor, p_key, 'put-class', jsonb_build_array(
        p_class_id, p_title, extract(EPOCH FROM p_starts_at), extract(EPOCH FROM p_ends_at), p_capacity,
        p_price_credits, p_price_visits, p_free_minutes_before
    ) || CASE
        -- Limits that are not set count for nothing: keys from before there were any still answer.
        WHEN jsonb_strip_nulls(to_jsonb(p_limits)) = '{"waitlist_cutoff_minutes": 60}' THEN '[]'
        ELSE jsonb_build_array(to_jsonb(p_limits))
    END) THEN
        RETURN;
    END IF;
    v_known := EXISTS (SELECT FROM wallet.classes AS c WHERE c.class_id = p_class_id);
    PERFORM wallet.add_class(
        p_class_id, p_title, p_starts_at, p_ends_at, p_capacity, p_price_credits, p_price_visits, p_free_minutes_before
    );
    v_class := wallet.lock_class(p_class_id);
    IF v_known THEN
        v_before := wallet.class_state(p_class_id);
    END IF;
    v_moved := wallet.moves_class(v_class, p_starts_at, p_ends_at);
    UPDATE wallet.classes AS c SET
        title = p_title,
        starts_at = p_starts_at,
        ends_at = p_ends_at,
        price_credits = p_price_credits,
        price_visits = p_price_visits,
        free_minutes_before = p_free_minutes_before,
        max_seats = p_limits.max_seats,
        days_ahead = p_limits.days_ahead,
        opens_minutes_before = p_limits.opens_minutes_before,
        closes_minutes_before = p_limits.closes_minutes_before,
        max_overlaps = p_limits.max_overlaps,
        waitlist_cutoff_minutes = p_limits.waitlist_cutoff_minutes,
        moves = c.moves + v_moved::INTEGER,
        settled = c.settled AND NOT v_moved,
        updated_at = wallet.now()
    WHERE c.class_id = p_class_id;
    PERFORM wallet.set_capacity(p_class_id, p_capacity, v_moved);
    PERFORM wallet.record_action(
        ROW(p_actor, NULL, NULL, NULL)::wallet.action_note, CASE WHEN v_known THEN 'change-class' ELSE 'add-class' END,
        'class', p_class_id, v_before, wallet.class_state(p_class_id)
    );
END;
$$;
COMMENT ON FUNCTION wallet.put_class(
    TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BIGINT, BIGINT, INTEGER, TEXT, TEXT, wallet.class_limits,
    wallet.operator_right
) IS 'Makes or changes a class, with as many seats in each environment.';
