-- Creates a series of classes, or changes it from a date on. All classes that have not begun and that no longer fit the
-- series are cancelled and return everything, and the missing classes of the next create_days_ahead days are created.
-- From p_definition's from_date on, the other classes get the new values. A class that was changed on its own keeps its
-- values.
-- p_series_id: null for a new series, whose id is then made from its title.
-- p_definition: columns of wallet.series, wallet.series_patterns and wallet.classes. Members that are not given have
-- the defaults of a new series.
-- The answer contains the numbers of classes created, changed, moved (with bookings), kept and cancelled, and the
-- bookings and amounts that return, in both environments.
-- Locks: the series, its policies in share mode, then the classes that have not begun with their seats, in order.
-- Codes: WL404 policy-not-found, WL409 capacity-below-sold with the class, WL409 series-exists, WL422
-- class-in-the-past, WL422 series-empty; see wallet.write_class.
CREATE OR REPLACE FUNCTION wallet.put_series(
    p_series_id TEXT,
    p_definition JSONB,
    p_is_new BOOLEAN,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_id TEXT := p_series_id;
    v_series wallet.series := jsonb_populate_record(NULL::wallet.series, p_definition);
    v_pattern CONSTANT wallet.series_patterns := jsonb_populate_record(
        NULL::wallet.series_patterns,
        jsonb_build_object('time_zone', wallet.studio_time_zone()) || jsonb_strip_nulls(p_definition)
    );
    v_today CONSTANT DATE := (wallet.now() AT TIME ZONE v_pattern.time_zone)::DATE;
    v_before JSONB;
    v_own TEXT[];
    v_counts JSONB;
BEGIN
    PERFORM wallet.lock_series(v_id, p_definition ->> 'policy_id');
    -- No other transaction creates a series now.
    v_id := coalesce(v_id, wallet.unused_series_id(p_definition ->> 'title'));
    v_before := wallet.series_state(v_id);
    IF v_before IS NOT NULL AND p_is_new THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'series-exists',
            DETAIL = jsonb_build_object('series_id', v_id, 'class_title', v_before -> 'title')::TEXT;
    ELSIF v_pattern.from_date < v_today THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'class-in-the-past',
            HINT = 'from_date must be today or later. Classes that have begun cannot be changed.';
    END IF;
    v_own := wallet.own_series_classes(v_id, v_pattern.from_date);
    v_series.exceptions := ARRAY(SELECT DISTINCT e.day FROM unnest(v_series.exceptions) AS e (day) ORDER BY e.day);
    INSERT INTO wallet.series AS s (series_id, ends_on, exceptions, create_days_ahead, created_until, updated_at) VALUES (
        v_id, v_series.ends_on, v_series.exceptions, coalesce(v_series.create_days_ahead, 92), v_today - 1, wallet.now()
    ) ON CONFLICT (series_id) DO UPDATE SET
        ends_on = EXCLUDED.ends_on,
        exceptions = EXCLUDED.exceptions,
        create_days_ahead = EXCLUDED.create_days_ahead,
        -- Dates that were exceptions may be missing.
        created_until = EXCLUDED.created_until,
        updated_at = EXCLUDED.updated_at;
    PERFORM wallet.end_patterns(v_id, v_pattern.from_date, (v_before ->> 'ends_on')::DATE);
    INSERT INTO wallet.series_patterns (
        series_id, from_date, weekdays, start_time, minutes, time_zone, capacity, template
    ) VALUES (
        v_id, v_pattern.from_date,
        ARRAY(SELECT DISTINCT d.weekday FROM unnest(v_pattern.weekdays) AS d (weekday) ORDER BY d.weekday),
        v_pattern.start_time, v_pattern.minutes, v_pattern.time_zone, v_pattern.capacity, jsonb_strip_nulls(
            wallet.class_definition(wallet.new_class(NULL, p_definition)) - ARRAY['starts_at', 'ends_at']
        )
    );
    v_counts := wallet.fit_series_classes(v_id, v_pattern.from_date, v_own, p_note)
        || wallet.create_series(v_id, v_pattern.from_date, v_today);
    RETURN wallet.record_action(
        p_note, 'put-series', 'series', v_id, coalesce(v_before, '{}'),
        CASE WHEN v_before IS NULL THEN jsonb_build_object('series_id', v_id) ELSE '{}' END
            || wallet.series_state(v_id) || v_counts
    );
END;
$$;
COMMENT ON FUNCTION wallet.put_series(TEXT, JSONB, BOOLEAN, wallet.action_note) IS
'Creates a series of classes, or changes it from a date on.';

-- Ends a series: its classes from a date on that have not begun are cancelled and return everything, and no more are
-- created.
-- p_from: the first date without a class; null for today in the time zone of the series.
-- Locks: see wallet.put_series. Codes: WL404 series-not-found.
CREATE OR REPLACE FUNCTION wallet.cancel_series(p_series_id TEXT, p_from DATE, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_from DATE := p_from;
    v_before JSONB;
    v_counts JSONB;
BEGIN
    PERFORM wallet.lock_series(p_series_id);
    v_before := wallet.series_state(p_series_id);
    IF v_before IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'series-not-found';
    END IF;
    v_from := coalesce(v_from, (wallet.now() AT TIME ZONE (v_before ->> 'time_zone'))::DATE);
    UPDATE wallet.series AS s SET ends_on = least(s.ends_on, v_from - 1), updated_at = wallet.now()
    WHERE s.series_id = p_series_id;
    v_counts := wallet.fit_series_classes(p_series_id, v_from, NULL, p_note);
    RETURN wallet.record_action(
        p_note, 'cancel-series', 'series', p_series_id, v_before, wallet.series_state(p_series_id) || v_counts
    );
END;
$$;
COMMENT ON FUNCTION wallet.cancel_series(TEXT, DATE, wallet.action_note) IS
'Ends a series from a date on, and cancels its classes that have not begun.';

-- Adds or renames a holiday: a date on which no series has a class. Classes of series on that date that have not begun
-- are cancelled and return everything. Other classes are not changed.
-- Locks: all series, then the classes with their seats, in order. Codes: none.
CREATE OR REPLACE FUNCTION wallet.put_holiday(p_on_date DATE, p_name TEXT, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_before CONSTANT TEXT := (SELECT h.name FROM wallet.holidays AS h WHERE h.on_date = p_on_date);
    v_class_id TEXT;
    v_counts JSONB := '{"cancelled": 0, "bookings": 0, "credits": 0, "visits": 0, "waiting": 0}';
BEGIN
    PERFORM wallet.lock_series(NULL);
    INSERT INTO wallet.holidays AS h (on_date, name) VALUES (p_on_date, p_name)
    ON CONFLICT (on_date) DO UPDATE SET name = EXCLUDED.name;
    FOR v_class_id IN
        SELECT c.class_id FROM wallet.classes AS c
        WHERE
            c.series_id IS NOT NULL AND c.series_date = p_on_date AND c.status = 'scheduled'
            AND c.starts_at > wallet.now()
        ORDER BY c.class_id
    LOOP
        v_counts := wallet.call_off_series_class(v_class_id, v_counts, p_note);
    END LOOP;
    RETURN wallet.record_action(
        p_note, 'put-holiday', 'holiday', p_on_date::TEXT, jsonb_build_object('name', v_before),
        jsonb_build_object('name', p_name) || v_counts
    );
END;
$$;
COMMENT ON FUNCTION wallet.put_holiday(DATE, TEXT, wallet.action_note) IS
'Adds a holiday, and cancels the classes of series on that date.';

-- Removes a holiday. The worker then creates the classes that series have on that date. If the date is no holiday,
-- nothing changes.
-- Locks: all series. Codes: none.
CREATE OR REPLACE FUNCTION wallet.remove_holiday(p_on_date DATE, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_name TEXT;
BEGIN
    PERFORM wallet.lock_series(NULL);
    DELETE FROM wallet.holidays AS h WHERE h.on_date = p_on_date RETURNING h.name INTO v_name;
    IF v_name IS NULL THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    UPDATE wallet.series AS s SET created_until = least(s.created_until, p_on_date - 1)
    WHERE p_on_date >= (wallet.now() AT TIME ZONE 'UTC')::DATE - 1;
    RETURN wallet.record_action(
        p_note, 'remove-holiday', 'holiday', p_on_date::TEXT, jsonb_build_object('name', v_name), '{"name": null}'
    );
END;
$$;
COMMENT ON FUNCTION wallet.remove_holiday(DATE, wallet.action_note) IS
'Removes a holiday; series then have classes on that date again.';

-- Locks all series against other changes, then the policies of one series and another policy that it gets, then the
-- classes of the series that have not begun, with their seats. A change of a policy also locks the policy before its
-- classes.
-- p_series_id: the series whose classes are locked; null for none. p_policy_id: null for none.
-- Locks: the series, the policies in share mode, then the classes with their seats, in order. Codes: WL404
-- policy-not-found.
CREATE OR REPLACE FUNCTION wallet.lock_series(p_series_id TEXT, p_policy_id TEXT DEFAULT NULL) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class_id TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.series', 0));
    PERFORM wallet.hold_policy(o.policy_id) FROM (
        SELECT p.template ->> 'policy_id' AS policy_id FROM wallet.series_patterns AS p
        WHERE p.series_id = p_series_id
        UNION
        SELECT p_policy_id
        ORDER BY policy_id
    ) AS o;
    FOR v_class_id IN
        SELECT c.class_id FROM wallet.classes AS c
        WHERE c.series_id = p_series_id AND c.series_date IS NOT NULL AND c.starts_at > wallet.now()
        ORDER BY c.class_id
    LOOP
        PERFORM wallet.lock_class(v_class_id);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.lock_series(TEXT, TEXT) IS
'Locks all series against other changes, and the classes of one series that have not begun.';

-- Returns an id for a new series: its title, followed by a number if another series has that id.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.unused_series_id(p_title TEXT) RETURNS TEXT LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT i.series_id
    FROM generate_series(1, 1000) AS n
    CROSS JOIN LATERAL (
        SELECT wallet.title_slug(p_title) || CASE WHEN n > 1 THEN '-' || n ELSE '' END AS series_id
    ) AS i
    WHERE NOT EXISTS (SELECT FROM wallet.series AS s WHERE s.series_id = i.series_id)
    ORDER BY n
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.unused_series_id(TEXT) IS 'Returns an id for a new series that no series has.';

-- Returns a series with its last pattern, as the audit records it before and after an action; null if it does not
-- exist.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.series_state(p_series_id TEXT) RETURNS JSONB LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT
        p.template || to_jsonb(p) - ARRAY['series_id', 'template']
        || jsonb_build_object('ends_on', s.ends_on, 'exceptions', s.exceptions, 'create_days_ahead', s.create_days_ahead)
    FROM wallet.series AS s
    INNER JOIN wallet.series_patterns AS p ON s.series_id = p.series_id
    WHERE s.series_id = p_series_id
    ORDER BY p.from_date DESC
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.series_state(TEXT) IS 'Returns a series with its last pattern, for the audit.';

-- Removes the patterns of a series that a new pattern replaces. If the series had ended before, it has no classes from
-- its end to the new pattern.
-- The caller holds the series. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.end_patterns(p_series_id TEXT, p_from DATE, p_ended_on DATE) RETURNS VOID
LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    DELETE FROM wallet.series_patterns AS p
    WHERE p.series_id = p_series_id AND p.from_date >= least(p_from, p_ended_on + 1);
    INSERT INTO wallet.series_patterns (
        series_id, from_date, weekdays, start_time, minutes, time_zone, capacity, template
    )
    SELECT p.series_id, p_ended_on + 1, '{}', p.start_time, p.minutes, p.time_zone, p.capacity, p.template
    FROM wallet.series_patterns AS p
    WHERE p.series_id = p_series_id AND p_ended_on + 1 < p_from
    ORDER BY p.from_date DESC
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.end_patterns(TEXT, DATE, DATE) IS
'Removes the patterns of a series that a new pattern replaces.';

-- Returns the classes of a series from a date on that have not begun and differ from their pattern, because an operator
-- changed them on their own.
-- The caller holds the classes. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.own_series_classes(p_series_id TEXT, p_from DATE) RETURNS TEXT[] LANGUAGE sql
VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(f.class_id), '{}') FROM wallet.fits_of_series(p_series_id) AS f
    WHERE f.series_date >= p_from AND f.differs;
$$;
COMMENT ON FUNCTION wallet.own_series_classes(TEXT, DATE) IS
'Returns the classes of a series that an operator changed on their own.';

-- Returns the scheduled classes of a series that have not begun, with the class that the series describes on their
-- dates, and whether it differs from them. The described class is null if the series has no class on that date.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.fits_of_series(p_series_id TEXT) RETURNS SETOF wallet.series_fit LANGUAGE plpgsql
VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now CONSTANT TIMESTAMPTZ := wallet.now();
    v_first DATE;
    v_last DATE;
BEGIN
    SELECT min(c.series_date), max(c.series_date) INTO v_first, v_last FROM wallet.classes AS c
    WHERE c.series_id = p_series_id AND c.status = 'scheduled' AND c.starts_at > v_now;
    RETURN QUERY
    SELECT
        c.class_id, c.series_date, c.moves, d.class, d.capacity,
        (wallet.class_definition(d.class), d.capacity)
        IS DISTINCT FROM (wallet.class_definition(c), s.capacity::INTEGER)
    FROM wallet.classes AS c
    INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id AND s.environment = 'production'
    LEFT JOIN wallet.series_dates(p_series_id, v_first, v_last) AS d ON c.series_date = d.on_date
    WHERE
        c.series_id = p_series_id AND c.series_date IS NOT NULL AND c.status = 'scheduled' AND c.starts_at > v_now
    ORDER BY c.class_id;
END;
$$;
COMMENT ON FUNCTION wallet.fits_of_series(TEXT) IS
'Returns the classes of a series that have not begun, with the classes that the series describes.';

-- Changes the classes of a series to what the series describes from a date on, and cancels those that it does not
-- describe. Returns the numbers of changes.
-- p_own: the classes that keep their values.
-- The caller holds the series and the classes. Locks: no others. Codes: WL409 capacity-below-sold with the class; see
-- wallet.write_class.
CREATE OR REPLACE FUNCTION wallet.fit_series_classes(
    p_series_id TEXT,
    p_from DATE,
    p_own TEXT[],
    p_note wallet.action_note
) RETURNS JSONB LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_note CONSTANT wallet.action_note := ROW(p_note.actor, p_note.reason, NULL, NULL)::wallet.action_note;
    v_fit wallet.series_fit;
    v_class wallet.classes;
    v_sold INTEGER;
    v_changed INTEGER := 0;
    v_moved INTEGER := 0;
    v_counts JSONB := '{"cancelled": 0, "bookings": 0, "credits": 0, "visits": 0, "waiting": 0}';
BEGIN
    FOR v_fit IN SELECT f.* FROM wallet.fits_of_series(p_series_id) AS f WHERE f.differs LOOP
        IF (v_fit.described).series_id IS NULL THEN
            v_counts := wallet.call_off_series_class(v_fit.class_id, v_counts, p_note);
        ELSIF v_fit.series_date >= p_from AND v_fit.class_id <> ALL(p_own) THEN
            v_sold := (SELECT max(s.sold) FROM wallet.class_seats AS s WHERE s.class_id = v_fit.class_id);
            IF v_fit.capacity < v_sold THEN
                RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'capacity-below-sold', DETAIL = jsonb_build_object(
                    'class_id', v_fit.class_id, 'seats_sold', v_sold, 'capacity', v_fit.capacity
                )::TEXT;
            END IF;
            v_class := v_fit.described;
            v_class.class_id := v_fit.class_id;
            PERFORM wallet.write_class(v_class, v_fit.capacity, v_note);
            v_changed := v_changed + 1;
            v_moved := v_moved + (
                SELECT c.moves - v_fit.moves FROM wallet.classes AS c WHERE c.class_id = v_fit.class_id
            );
        END IF;
    END LOOP;
    RETURN v_counts || jsonb_build_object(
        'changed', v_changed, 'moved', v_moved, 'kept', coalesce((
            SELECT count(*) FROM wallet.classes AS c
            WHERE c.class_id = ANY(p_own) AND c.status = 'scheduled'
        ), 0)
    );
END;
$$;
COMMENT ON FUNCTION wallet.fit_series_classes(TEXT, DATE, TEXT[], wallet.action_note) IS
'Changes and cancels the classes of a series as its definition requires, and returns the numbers of changes.';

-- Cancels a class because of a change of its series or a holiday, and adds what it returns to the counts. Another class
-- can be created on its date.
-- The caller holds the series. Locks: the class with its seats. Codes: see wallet.call_off_class.
CREATE OR REPLACE FUNCTION wallet.call_off_series_class(
    p_class_id TEXT,
    p_counts JSONB,
    p_note wallet.action_note
) RETURNS JSONB LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer CONSTANT wallet.action_answer := wallet.call_off_class(
        p_class_id, ROW(p_note.actor, p_note.reason, NULL, NULL)::wallet.action_note
    );
BEGIN
    IF v_answer.replayed THEN
        RETURN p_counts;
    END IF;
    UPDATE wallet.classes AS c SET series_date = NULL WHERE c.class_id = p_class_id;
    RETURN (
        SELECT jsonb_object_agg(
            n.key, n.value::BIGINT + CASE n.key WHEN 'cancelled' THEN 1 ELSE (v_answer.after ->> n.key)::BIGINT END
        )
        FROM jsonb_each_text(p_counts) AS n
    );
END;
$$;
COMMENT ON FUNCTION wallet.call_off_series_class(TEXT, JSONB, wallet.action_note) IS
'Cancels a class because of a change of its series or a holiday, and counts what it returns.';

-- Creates the missing classes of a series: those of the next create_days_ahead days, and at least the first one of its
-- new pattern, so that every CHECK of a class is applied to the pattern now. Returns their number.
-- The caller holds the series. Locks: only new rows. Codes: WL422 series-empty.
CREATE OR REPLACE FUNCTION wallet.create_series(p_series_id TEXT, p_from DATE, p_today DATE) RETURNS JSONB
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_first CONSTANT DATE := (SELECT min(d.on_date) FROM wallet.series_dates(p_series_id, p_from, p_today + 366) AS d);
BEGIN
    IF v_first IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'series-empty';
    END IF;
    RETURN jsonb_build_object('created', wallet.create_series_classes(
        p_series_id,
        (SELECT greatest(v_first, least(p_today + s.create_days_ahead, s.ends_on)) FROM wallet.series AS s
        WHERE s.series_id = p_series_id),
        10000
    ));
END;
$$;
COMMENT ON FUNCTION wallet.create_series(TEXT, DATE, DATE) IS
'Creates the missing classes of a series after a change of the series, and returns their number.';
