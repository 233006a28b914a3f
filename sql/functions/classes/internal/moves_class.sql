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
