-- Makes or changes a class, with as many seats in each environment. A changed price is for later bookings only.
-- Called by: Wallet.putClass, the view admin.classes.
-- Locks: the operator's key, then the class's seats by environment. Codes: WL409 capacity-below-sold, WL409
-- class-closed, WL422 idempotency-key-reused.
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
    p_key TEXT
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_sold INTEGER;
BEGIN
    IF wallet.operator_replays(p_actor, p_key, 'put-class', jsonb_build_array(
        p_class_id, p_title, extract(EPOCH FROM p_starts_at), extract(EPOCH FROM p_ends_at), p_capacity,
        p_price_credits, p_price_visits, p_free_minutes_before
    )) THEN
        RETURN;
    END IF;
    PERFORM FROM wallet.class_seats AS s WHERE s.class_id = p_class_id ORDER BY s.environment FOR UPDATE;
    IF EXISTS (SELECT FROM wallet.classes AS c WHERE c.class_id = p_class_id AND c.status = 'cancelled') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'class-closed';
    END IF;
    SELECT max(s.sold) INTO v_sold FROM wallet.class_seats AS s WHERE s.class_id = p_class_id;
    IF p_capacity < v_sold THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'capacity-below-sold',
            DETAIL = jsonb_build_object('seats_sold', v_sold, 'capacity', p_capacity)::TEXT;
    END IF;
    INSERT INTO wallet.classes (
        class_id, title, starts_at, ends_at, price_credits, price_visits, free_minutes_before, updated_at
    ) VALUES (
        p_class_id, p_title, p_starts_at, p_ends_at, p_price_credits, p_price_visits, p_free_minutes_before,
        wallet.now()
    )
    ON CONFLICT (class_id) DO UPDATE SET
        title = excluded.title,
        starts_at = excluded.starts_at,
        ends_at = excluded.ends_at,
        price_credits = excluded.price_credits,
        price_visits = excluded.price_visits,
        free_minutes_before = excluded.free_minutes_before,
        updated_at = excluded.updated_at;
    INSERT INTO wallet.class_seats (class_id, environment, capacity)
    SELECT p_class_id, e.environment, p_capacity
    FROM unnest(enum_range(NULL::wallet.environment)) AS e (environment)
    ON CONFLICT (class_id, environment) DO UPDATE SET capacity = excluded.capacity;
END;
$$;
COMMENT ON FUNCTION wallet.put_class(
    TEXT, TEXT, TIMESTAMPTZ, TIMESTAMPTZ, INTEGER, BIGINT, BIGINT, INTEGER, TEXT, TEXT
) IS 'Makes or changes a class, with as many seats in each environment.';
