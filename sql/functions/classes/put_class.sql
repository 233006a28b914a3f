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

-- Creates or changes a class by an operator's definition: see wallet.write_class. If no id is given, the class is new,
-- and its id is made from the title and the start in p_definition's time_zone, which is the
-- studio's unless given.
-- p_definition: columns of wallet.classes, and capacity.
-- Locks and codes: see wallet.write_class.
CREATE OR REPLACE FUNCTION wallet.change_class(
    p_class_id TEXT,
    p_definition JSONB,
    p_is_new BOOLEAN,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes := wallet.new_class(p_class_id, p_definition);
BEGIN
    v_class.series_id := NULL;
    v_class.series_date := NULL;
    v_class.class_id := coalesce(p_class_id, wallet.unused_class_id(
        wallet.title_slug(v_class.title) || to_char(
            v_class.starts_at AT TIME ZONE coalesce(p_definition ->> 'time_zone', wallet.studio_time_zone()),
            '-YYYY-MM-DD-HH24MI'
        )
    ));
    RETURN wallet.write_class(
        v_class, (p_definition ->> 'capacity')::INTEGER, p_note, p_class_id IS NULL OR coalesce(p_is_new, FALSE)
    );
END;
$$;
COMMENT ON FUNCTION wallet.change_class(TEXT, JSONB, BOOLEAN, wallet.action_note) IS
'Creates or changes a class by an operator''s definition.';

-- Creates or changes a class, with the same number of seats in each environment. The given values replace all old ones,
-- and a null limit does not apply. A changed price affects later bookings only. Changing the start while the class has
-- bookings or a waitlist is a move: booked users are notified and may cancel free of charge until the new start. A
-- class that has begun keeps its times, and no class can be created in the past or moved there. Differences of less
-- than a second are ignored, because the interface shows whole seconds.
-- p_class: the new values; its status, counts and terms are ignored. A policy also sets the minutes of free
-- cancellation. Its series is the series that creates the class.
-- p_note: null if a series creates the class; the audit then has only the change of the series.
-- p_is_new: whether to refuse the id of an existing class.
-- Locks: the policy in share mode, then the class and its seats by environment. Codes: WL404 policy-not-found, WL409
-- capacity-below-sold, WL409 class-closed, WL409 class-exists, WL422 class-in-the-past.
CREATE OR REPLACE FUNCTION wallet.write_class(
    p_class wallet.classes,
    p_capacity INTEGER,
    p_note wallet.action_note,
    p_is_new BOOLEAN DEFAULT FALSE
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_moved BOOLEAN;
    v_terms CONSTANT wallet.policy_terms := wallet.hold_policy(p_class.policy_id);
    v_free_minutes_before CONSTANT INTEGER := coalesce(v_terms.free_minutes_before, p_class.free_minutes_before);
    v_added CONSTANT BOOLEAN := wallet.add_class(
        p_class.class_id, p_class.title, p_class.starts_at, p_class.ends_at, p_capacity, p_class.price_credits,
        p_class.price_visits, v_free_minutes_before
    );
    v_before JSONB := '{}';
BEGIN
    IF v_added AND p_class.starts_at <= wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'class-in-the-past',
            HINT = 'The start of a new class must be in the future. Check the year and the time zone.';
    END IF;
    v_class := wallet.lock_class(p_class.class_id);
    IF NOT v_added AND p_is_new THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'class-exists', DETAIL = jsonb_build_object(
            'class_id', v_class.class_id, 'class_title', v_class.title, 'starts_at', wallet.rfc3339(v_class.starts_at)
        )::TEXT;
    ELSIF NOT v_added THEN
        v_before := wallet.class_state(p_class.class_id);
    END IF;
    v_moved := wallet.moves_class(v_class, p_class.starts_at, p_class.ends_at);
    UPDATE wallet.classes AS c SET
        title = p_class.title,
        -- As in wallet.moves_class, a difference of less than a second is ignored. Several of them would add up.
        starts_at = CASE
            WHEN abs(extract(EPOCH FROM p_class.starts_at - c.starts_at)) < 1 THEN c.starts_at ELSE p_class.starts_at
        END,
        ends_at = CASE
            WHEN abs(extract(EPOCH FROM p_class.ends_at - c.ends_at)) < 1 THEN c.ends_at ELSE p_class.ends_at
        END,
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
        updated_at = wallet.now(),
        series_id = coalesce(c.series_id, p_class.series_id),
        series_date = coalesce(c.series_date, p_class.series_date)
    WHERE c.class_id = p_class.class_id;
    PERFORM wallet.set_capacity(p_class.class_id, p_capacity, v_moved);
    IF p_note IS NULL THEN
        RETURN NULL;
    END IF;
    -- A new class has its id among its values, because the id may have been made here.
    RETURN wallet.record_action(
        p_note, 'put-class', 'class', p_class.class_id, v_before,
        CASE WHEN v_added THEN jsonb_build_object('class_id', p_class.class_id) ELSE '{}' END
            || wallet.class_state(p_class.class_id)
    );
END;
$$;
COMMENT ON FUNCTION wallet.write_class(wallet.classes, INTEGER, wallet.action_note, BOOLEAN) IS
'Creates or changes a class, with the same number of seats in each environment.';

-- Creates a class with the same number of seats in each environment, unless its id exists already. Returns whether it
-- did.
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
) RETURNS BOOLEAN LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH added AS (
        INSERT INTO wallet.classes (
            class_id, title, starts_at, ends_at, price_credits, price_visits, free_minutes_before, updated_at
        ) VALUES (
            p_class_id, p_title, p_starts_at, p_ends_at, p_price_credits, p_price_visits, p_free_minutes_before,
            wallet.now()
        ) ON CONFLICT (class_id) DO NOTHING
        RETURNING class_id
    ), seats AS (
        INSERT INTO wallet.class_seats (class_id, environment, capacity)
        SELECT a.class_id, e.environment, p_capacity
        FROM added AS a, unnest(enum_range(NULL::wallet.environment)) AS e (environment)
    )

    SELECT EXISTS (SELECT FROM added);
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

-- Returns the class that an operator's definition describes. An omitted member has the default of a new class.
-- p_definition: columns of wallet.classes; other members are ignored.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.new_class(p_class_id TEXT, p_definition JSONB) RETURNS wallet.classes
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_populate_record(
        NULL::wallet.classes, '{"free_minutes_before": 1440, "waitlist_cutoff_minutes": 60}'
            || jsonb_strip_nulls(p_definition) || jsonb_build_object('class_id', p_class_id)
    );
$$;
COMMENT ON FUNCTION wallet.new_class(TEXT, JSONB) IS 'Returns the class that an operator''s definition describes.';

-- Returns the members of a class that an operator defines, without its id, its state and its series. A class with a
-- policy has no minutes of free cancellation of its own.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.class_definition(p_class wallet.classes) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT to_jsonb(p_class) - ARRAY[
        'class_id', 'status', 'updated_at', 'moves', 'settled', 'cancelled_at', 'cancel_reason', 'terms_id',
        'series_id', 'series_date', CASE WHEN p_class.policy_id IS NOT NULL THEN 'free_minutes_before' END
    ];
$$;
COMMENT ON FUNCTION wallet.class_definition(wallet.classes) IS
'Returns the members of a class that an operator defines.';

-- Returns an id for a new class: the given one, or the first of it followed by -2, -3 and so on that no class has.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.unused_class_id(p_wanted TEXT) RETURNS TEXT LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT i.class_id
    FROM generate_series(1, 1000) AS n
    CROSS JOIN LATERAL (SELECT p_wanted || CASE WHEN n > 1 THEN '-' || n ELSE '' END AS class_id) AS i
    WHERE NOT EXISTS (SELECT FROM wallet.classes AS c WHERE c.class_id = i.class_id)
    ORDER BY n
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.unused_class_id(TEXT) IS 'Returns an id for a new class that no class has.';

-- Returns a title as a part of an id: lower-case letters without accents, digits and hyphens, at most 36 characters.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.title_slug(p_title TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(nullif(trim(BOTH '-' FROM left(trim(BOTH '-' FROM regexp_replace(
        regexp_replace(lower(normalize(p_title, NFKD)), '[\u0300-\u036f]', '', 'g'), '[^a-z0-9]+', '-', 'g'
    )), 36)), ''), 'class');
$$;
COMMENT ON FUNCTION wallet.title_slug(TEXT) IS 'Returns a title as a part of an id.';

-- Returns a class with its seats in production, as the audit records it before and after an action; null if it does not
-- exist.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.class_state(p_class_id TEXT) RETURNS JSONB LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT to_jsonb(c) - ARRAY['class_id', 'updated_at', 'settled', 'moves', 'cancelled_at', 'terms_id']
            || jsonb_build_object('capacity', s.capacity)
        FROM wallet.classes AS c
        INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id AND s.environment = 'production'
        WHERE c.class_id = p_class_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.class_state(TEXT) IS 'Returns a class with its seats, for the audit.';
