-- Creates classes of one series whose next classes are due, at most p_limit, and returns how many. Returns 0 if nothing
-- is due, or while another transaction creates or changes series.
-- Locks: the series (without waiting), then its policies in share mode and new rows. Codes: none.
CREATE OR REPLACE FUNCTION wallet.extend_series(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_today CONSTANT DATE := (wallet.now() AT TIME ZONE 'UTC')::DATE;
    v_series wallet.series;
    v_created INTEGER := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('wallet.series', 0)) THEN
        RETURN 0;
    END IF;
    WHILE v_created = 0 LOOP
        SELECT s.* INTO v_series FROM wallet.series AS s
        WHERE s.created_until < least(v_today + s.create_days_ahead, s.ends_on)
        ORDER BY s.created_until, s.series_id
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        v_created := wallet.create_series_classes(
            v_series.series_id, least(v_today + v_series.create_days_ahead, v_series.ends_on), p_limit
        );
    END LOOP;
    RETURN v_created;
END;
$$;
COMMENT ON FUNCTION wallet.extend_series(INTEGER) IS
'Creates the next classes of one series, and returns how many.';

-- Creates the missing classes of a series up to a date, at most p_limit, and returns how many. A date has no class if
-- its start has passed, if it is an exception or a holiday, or if its class exists; a class that an operator cancelled
-- or moved exists.
-- The caller holds the series. Locks: its policies in share mode, and new rows. Codes: see wallet.write_class.
CREATE OR REPLACE FUNCTION wallet.create_series_classes(p_series_id TEXT, p_until DATE, p_limit INTEGER)
RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_date wallet.series_date;
    v_class wallet.classes;
    v_created INTEGER := 0;
BEGIN
    FOR v_date IN
        SELECT d.* FROM wallet.series AS s
        CROSS JOIN wallet.series_dates(s.series_id, s.created_until + 1, p_until) AS d
        WHERE
            s.series_id = p_series_id AND (d.class).starts_at > wallet.now()
            AND NOT EXISTS (
                SELECT FROM wallet.classes AS c WHERE c.series_id = s.series_id AND c.series_date = d.on_date
            )
        ORDER BY d.on_date
        LIMIT p_limit
    LOOP
        v_class := v_date.class;
        v_class.class_id := wallet.unused_class_id(p_series_id || to_char(v_date.on_date, '-YYYY-MM-DD'));
        PERFORM wallet.write_class(v_class, v_date.capacity, NULL, TRUE);
        v_created := v_created + 1;
    END LOOP;
    UPDATE wallet.series AS s SET created_until = CASE
        WHEN v_created < p_limit THEN greatest(s.created_until, p_until) ELSE v_date.on_date
    END
    WHERE s.series_id = p_series_id;
    RETURN v_created;
END;
$$;
COMMENT ON FUNCTION wallet.create_series_classes(TEXT, DATE, INTEGER) IS
'Creates the missing classes of a series up to a date, and returns how many.';

-- Returns the dates of a series between two dates that have a class by its patterns, exceptions and holidays, with the
-- class that each pattern describes. The start is the pattern's time of day on that date, before and after a change of
-- the clocks; the length is exact.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.series_dates(p_series_id TEXT, p_from DATE, p_until DATE)
RETURNS SETOF wallet.series_date LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT d.on_date, wallet.new_class(NULL, p.template || jsonb_build_object(
        'starts_at', t.starts_at, 'ends_at', t.starts_at + make_interval(mins => p.minutes),
        'series_id', p_series_id, 'series_date', d.on_date
    )), p.capacity::INTEGER
    FROM wallet.series AS s
    CROSS JOIN generate_series(0, least(p_until, s.ends_on) - p_from) AS n (days)
    CROSS JOIN LATERAL (SELECT p_from + n.days AS on_date) AS d
    CROSS JOIN LATERAL (
        SELECT a.* FROM wallet.series_patterns AS a
        WHERE a.series_id = s.series_id AND a.from_date <= d.on_date
        ORDER BY a.from_date DESC
        LIMIT 1
    ) AS p
    CROSS JOIN LATERAL (SELECT (d.on_date + p.start_time) AT TIME ZONE p.time_zone AS starts_at) AS t
    WHERE
        s.series_id = p_series_id AND to_char(d.on_date, 'FMday') = ANY(p.weekdays) AND d.on_date <> ALL(s.exceptions)
        AND NOT EXISTS (SELECT FROM wallet.holidays AS h WHERE h.on_date = d.on_date);
$$;
COMMENT ON FUNCTION wallet.series_dates(TEXT, DATE, DATE) IS
'Returns the dates of a series that have a class, with the class that its pattern describes.';
