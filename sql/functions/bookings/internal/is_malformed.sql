-- Says whether an item of a group is none that could be decided: an unknown operation, a missing member, a number of
-- seats or a key that no booking can have. A negative number of seats would otherwise give money back.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_malformed(
    p_environment wallet.environment,
    p_operation TEXT,
    p_booking_id UUID,
    p_key TEXT,
    p_class_id TEXT,
    p_seats INTEGER
) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_environment IS NULL OR NOT coalesce(CASE p_operation
        WHEN 'book' THEN
            p_booking_id IS NOT NULL AND p_class_id IS NOT NULL AND p_seats BETWEEN 1 AND 100
            AND char_length(p_key) BETWEEN 1 AND 255
        WHEN 'quote' THEN p_class_id IS NOT NULL AND p_seats BETWEEN 1 AND 100
        WHEN 'cancel' THEN p_booking_id IS NOT NULL
    END, FALSE);
END;
$$;
COMMENT ON FUNCTION wallet.is_malformed(
    wallet.environment, TEXT, UUID, TEXT, TEXT, INTEGER
) IS 'Whether an item of a group is none that could be decided.';
