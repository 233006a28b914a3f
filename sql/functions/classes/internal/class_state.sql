-- Returns a class with its seats in production, as the audit records it before and after an action; null if it does not
-- exist.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.class_state(p_class_id TEXT) RETURNS JSONB LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT to_jsonb(c) - ARRAY['class_id', 'updated_at', 'settled', 'moves', 'cancelled_at']
        || jsonb_build_object('capacity', s.capacity)
    FROM wallet.classes AS c
    INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id AND s.environment = 'production'
    WHERE c.class_id = p_class_id;
$$;
COMMENT ON FUNCTION wallet.class_state(TEXT) IS 'Returns a class with its seats, for the audit.';
