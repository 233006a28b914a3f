-- Locks, in one order, the seat counts that a batch's items will change. Returns the ctids of the locked rows, which no
-- other transaction can change. Without waiting, it skips rows that another transaction holds. It skips classes that do
-- not exist.
-- It has no SET clauses, because they cost as much as a small statement; every name in it is qualified.
-- Locks: class seats in order of (class, environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_seats(p_requests wallet.booking_request[], p_wait BOOLEAN) RETURNS TID[]
LANGUAGE plpgsql AS $$
DECLARE
    v_request wallet.booking_request;
    v_cancels BOOLEAN := FALSE;
    v_class_ids TEXT[];
    v_environments wallet.environment[];
    v_held TID[];
BEGIN
    FOREACH v_request IN ARRAY coalesce(p_requests, '{}') LOOP
        IF v_request.operation = 'book' THEN
            v_class_ids := v_class_ids || v_request.class_id;
            v_environments := v_environments || v_request.environment;
        ELSIF v_request.operation = 'cancel' THEN
            v_cancels := TRUE;
        END IF;
    END LOOP;
    IF v_cancels THEN
        SELECT v_class_ids || array_agg(b.class_id), v_environments || array_agg(b.environment)
        INTO v_class_ids, v_environments
        FROM unnest(p_requests) AS i
        INNER JOIN wallet.bookings AS b
            ON b.account_id = i.account_id AND b.booking_id = i.booking_id AND b.environment = i.environment
        WHERE i.operation = 'cancel';
    END IF;
    IF p_wait THEN
        SELECT array_agg(l.at) INTO v_held FROM (
            SELECT s.ctid AS at FROM wallet.class_seats AS s
            WHERE (s.class_id, s.environment) IN (
                SELECT n.class_id, n.environment FROM unnest(v_class_ids, v_environments) AS n (class_id, environment)
            )
            ORDER BY s.class_id, s.environment
            FOR UPDATE OF s
        ) AS l;
    ELSE
        SELECT array_agg(l.at) INTO v_held FROM (
            SELECT s.ctid AS at FROM wallet.class_seats AS s
            WHERE (s.class_id, s.environment) IN (
                SELECT n.class_id, n.environment FROM unnest(v_class_ids, v_environments) AS n (class_id, environment)
            )
            ORDER BY s.class_id, s.environment
            FOR UPDATE OF s SKIP LOCKED
        ) AS l;
    END IF;
    RETURN coalesce(v_held, '{}');
END;
$$;
COMMENT ON FUNCTION wallet.lock_seats(wallet.booking_request[], BOOLEAN) IS
'Locks the seat counts that a batch''s items will change, in one order, and returns the locked rows.';
