-- Short functions to join, promote and read a waitlist, included after books.sql.

-- 'new', 'known', or the error of joining.
CREATE FUNCTION pg_temp.join(
    p_user text,
    p_class_id text,
    p_seats integer DEFAULT 1,
    p_pay_with text DEFAULT NULL,
    p_max_amount bigint DEFAULT NULL,
    p_environment wallet.environment DEFAULT 'production'
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_detail text;
BEGIN
    RETURN CASE WHEN wallet.join_waitlist(
        wallet.account_for(p_user), p_environment, p_class_id, p_seats, p_pay_with, p_max_amount
    ) THEN 'new' ELSE 'known' END;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, ''));
END;
$$;

CREATE FUNCTION pg_temp.leave(
    p_user text,
    p_class_id text,
    p_environment wallet.environment DEFAULT 'production'
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.leave_waitlist(%s, %L, %L)', wallet.account_for(p_user), p_environment, p_class_id
    ));
$$;

-- The waiting users in order, each with the place.
CREATE FUNCTION pg_temp.line(p_class_id text, p_environment wallet.environment DEFAULT 'production') RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(p.place || ' ' || u.user_id, ', ' ORDER BY p.place)
    FROM wallet.waitlist_places AS p
    INNER JOIN wallet.users AS u ON p.account_id = u.account_id
    WHERE p.class_id = p_class_id AND p.environment = p_environment;
$$;

-- The numbers of sold seats, reserved seats, and seats that all users may book.
CREATE FUNCTION pg_temp.seats(p_class_id text, p_environment wallet.environment DEFAULT 'production') RETURNS text
LANGUAGE sql AS $$
    SELECT format('sold %s, reserved %s, left %s', s.sold, s.reserved, l.seats_left)
    FROM wallet.class_seats AS s
    INNER JOIN wallet.class_list AS l ON s.class_id = l.class_id AND s.environment = l.environment
    WHERE s.class_id = p_class_id AND s.environment = p_environment;
$$;

-- Promotes like the worker, until no promotion is left.
CREATE FUNCTION pg_temp.promote(p_class_id text, p_environment wallet.environment DEFAULT 'production') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_said text;
    v_all text;
BEGIN
    FOR v_turn IN 1 .. 20 LOOP
        v_said := wallet.promote_next(p_class_id, p_environment);
        v_all := concat_ws(' ', v_all, v_said);
        EXIT WHEN v_said IN ('done', 'busy');
    END LOOP;
    RETURN v_all;
END;
$$;

-- The waitlist and booking events sent since the last call.
CREATE FUNCTION pg_temp.new_events() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', u.user_id, o.type, o.details), ', ' ORDER BY o.event_id)
    FROM pg_temp.unread() AS o LEFT JOIN wallet.users AS u ON o.account_id = u.account_id
    WHERE o.type LIKE 'waitlist.%' OR o.type LIKE 'booking.%';
$$;
