-- Creates or changes a class for an operator, once per key: see wallet.write_class. A limit that is not given does not
-- apply.
-- Locks: the operator's key, then see wallet.write_class. Codes: WL403 right-missing, WL422 idempotency-key-reused; see
-- wallet.write_class.
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
    p_right wallet.operator_right DEFAULT 'admin',
    p_policy_id TEXT DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
BEGIN
    PERFORM wallet.check_right('put-class', p_right);
    p_limits.waitlist_cutoff_minutes := coalesce(p_limits.waitlist_cutoff_minutes, 60);
    IF wallet.operator_replays(p_actor, p_key, 'put-class', jsonb_build_array(
        p_class_id, p_title, extract(EPOCH FROM p_starts_at), extract(EPOCH FROM p_ends_at), p_capacity,
        p_price_credits, p_price_visits, p_free_minutes_before
    ) || CASE
        -- Default limits are left out of the digest, so that keys from before limits existed still replay.
        WHEN jsonb_strip_nulls(to_jsonb(p_limits)) = '{"waitlist_cutoff_minutes": 60}' THEN '[]'
        ELSE jsonb_build_array(to_jsonb(p_limits))
    END || CASE WHEN p_policy_id IS NULL THEN '[]' ELSE jsonb_build_array('policy', p_policy_id) END) THEN
        RETURN;
    END IF;
    v_class.class_id := p_class_id;
    v_class.title := p_title;
    v_class.starts_at := p_starts_at;
    v_class.ends_at := p_ends_at;
    v_class.price_credits := p_price_credits;
    v_class.price_visits := p_price_visits;
    v_class.free_minutes_before := p_free_minutes_before;
    v_class.max_seats := p_limits.max_seats;
    v_class.days_ahead := p_limits.days_ahead;
    v_class.opens_minutes_before := p_limits.opens_minutes_before;
    v_class.closes_minutes_before := p_limits.closes_minutes_before;
    v_class.max_overlaps := p_limits.max_overlaps;
    v_class.waitlist_cutoff_minutes := p_limits.waitlist_cutoff_minutes;
    v_class.policy_id := p_policy_id;
    PERFORM wallet.write_class(v_class, p_capacity, ROW(p_actor, NULL, NULL, NULL)::wallet.action_note);
END;
$$;
COMMENT ON FUNCTION wallet.put_class(
    TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BIGINT, BIGINT, INTEGER, TEXT, TEXT, wallet.class_limits,
    wallet.operator_right, TEXT
) IS 'Creates or changes a class for an operator, with the same number of seats in each environment.';

-- Creates or changes a class, with the same number of seats in each environment. The given values replace all old ones,
-- and a null limit does not apply. A changed price affects later bookings only. Changing the start while the class has
-- bookings or a waitlist is a move: booked users are notified and may cancel free of charge until the new start. A
-- class that has begun keeps its times, and no class can be created in the past or moved there. Differences of less
-- than a second are ignored, because the interface shows whole seconds.
-- p_class: the new values; its status, counts and terms are ignored. A policy also sets the minutes of free
-- cancellation.
-- Locks: the policy in share mode, then the class and its seats by environment. Codes: WL404 policy-not-found, WL409
-- capacity-below-sold, WL409 class-closed, WL422 class-in-the-past.
CREATE OR REPLACE FUNCTION wallet.write_class(
    p_class wallet.classes,
    p_capacity INTEGER,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_moved BOOLEAN;
    v_terms CONSTANT wallet.policy_terms := wallet.hold_policy(p_class.policy_id);
    v_free_minutes_before CONSTANT INTEGER := coalesce(v_terms.free_minutes_before, p_class.free_minutes_before);
    v_known CONSTANT BOOLEAN := EXISTS (SELECT FROM wallet.classes AS c WHERE c.class_id = p_class.class_id);
    v_before JSONB := '{}';
BEGIN
    IF NOT v_known AND p_class.starts_at <= wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'class-in-the-past',
            HINT = 'The start of a new class must be in the future. Check the year and the time zone.';
    END IF;
    PERFORM wallet.add_class(
        p_class.class_id, p_class.title, p_class.starts_at, p_class.ends_at, p_capacity, p_class.price_credits,
        p_class.price_visits, v_free_minutes_before
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
        free_minutes_before = v_free_minutes_before,
        max_seats = p_class.max_seats,
        days_ahead = p_class.days_ahead,
        opens_minutes_before = p_class.opens_minutes_before,
        closes_minutes_before = p_class.closes_minutes_before,
        max_overlaps = p_class.max_overlaps,
        waitlist_cutoff_minutes = p_class.waitlist_cutoff_minutes,
        policy_id = v_terms.policy_id,
        terms_id = v_terms.terms_id,
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

-- Creates a class with the same number of seats in each environment, unless its id exists already.
-- Locks: only the new rows. Codes: none (the tables' CHECKs refuse invalid values).
CREATE OR REPLACE FUNCTION wallet.add_class(
    p_class_id TEXT,
    p_title TEXT,
    p_starts_at TIMESTAMPTZ,
    p_ends_at TIMESTAMPTZ,
    p_capacity INTEGER,
    p_price_credits BIGINT,
    p_price_visits BIGINT,
    p_free_minutes_before INTEGER
) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    INSERT INTO wallet.classes (
        class_id, title, starts_at, ends_at, price_credits, price_visits, free_minutes_before, updated_at
    ) VALUES (
        p_class_id, p_title, p_starts_at, p_ends_at, p_price_credits, p_price_visits, p_free_minutes_before,
        wallet.now()
    ) ON CONFLICT (class_id) DO NOTHING;
    INSERT INTO wallet.class_seats (class_id, environment, capacity)
    SELECT p_class_id, e.environment, p_capacity
    FROM unnest(enum_range(NULL::wallet.environment)) AS e (environment)
    ON CONFLICT (class_id, environment) DO NOTHING;
$$;
COMMENT ON FUNCTION wallet.add_class(
    TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BIGINT, BIGINT, INTEGER
) IS 'Creates a class with the same number of seats in each environment, unless it exists already.';

-- Returns whether new times move a class to another start while it has bookings or a waitlist; refuses changes that are
-- not allowed. A difference of less than a second is ignored.
-- The caller holds the class. Locks: no others. Codes: WL409 class-closed (the class is cancelled, or has begun and the
-- times change), WL422 class-in-the-past (a new start in the past).
CREATE OR REPLACE FUNCTION wallet.moves_class(
    p_class wallet.classes,
    p_starts_at TIMESTAMPTZ,
    p_ends_at TIMESTAMPTZ
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now CONSTANT TIMESTAMPTZ := wallet.now();
    v_other_start CONSTANT BOOLEAN := abs(extract(EPOCH FROM p_starts_at - p_class.starts_at)) >= 1;
    v_other_end CONSTANT BOOLEAN := abs(extract(EPOCH FROM p_ends_at - p_class.ends_at)) >= 1;
    v_moved CONSTANT BOOLEAN := v_other_start AND (EXISTS (
        SELECT FROM wallet.bookings AS b WHERE b.class_id = p_class.class_id AND b.cancelled_at IS NULL
    ) OR EXISTS (SELECT FROM wallet.waitlist AS w WHERE w.class_id = p_class.class_id));
BEGIN
    IF
        p_class.status = 'cancelled'
        OR (p_class.starts_at <= v_now AND (v_other_start OR v_other_end))
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'class-closed';
    ELSIF p_starts_at <= v_now AND v_other_start THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'class-in-the-past',
            HINT = 'The new start must be in the future. Check the year and the time zone.';
    END IF;
    RETURN v_moved;
END;
$$;
COMMENT ON FUNCTION wallet.moves_class(wallet.classes, TIMESTAMPTZ, TIMESTAMPTZ) IS
'Returns whether new times move a class to another start while it has bookings or a waitlist.';

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

-- Returns a class with its seats in production, as the audit records it before and after an action; null if it does not
-- exist.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.class_state(p_class_id TEXT) RETURNS JSONB LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT to_jsonb(c) - ARRAY['class_id', 'updated_at', 'settled', 'moves', 'cancelled_at', 'terms_id']
        || jsonb_build_object('capacity', s.capacity)
    FROM wallet.classes AS c
    INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id AND s.environment = 'production'
    WHERE c.class_id = p_class_id;
$$;
COMMENT ON FUNCTION wallet.class_state(TEXT) IS 'Returns a class with its seats, for the audit.';
