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
