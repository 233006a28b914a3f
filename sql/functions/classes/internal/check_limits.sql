-- Returns the limit of a class or plan that a booking would break (rule 23), or null. A null limit does not apply.
-- Overlaps are counted in the account's wallet, so the result is reliable only while the caller holds the wallet.
-- Locks: none. Codes, in the answer, in this order: 409 too-many-seats, 409 booking-not-open, 409 booking-closed, 409
-- too-far-ahead, 409 overlapping-booking.
CREATE OR REPLACE FUNCTION wallet.check_limits(
    p_class wallet.classes,
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_seats INTEGER
) RETURNS wallet.booking_plan LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now CONSTANT TIMESTAMPTZ := wallet.now();
    v_opens_at CONSTANT TIMESTAMPTZ := p_class.starts_at - make_interval(mins => p_class.opens_minutes_before);
    v_closes_at CONSTANT TIMESTAMPTZ := p_class.starts_at - make_interval(mins => p_class.closes_minutes_before);
    v_days_ahead CONSTANT INTEGER := wallet.days_ahead(p_class, p_account_id, p_environment);
    -- A day has 24 hours here, in every time zone of the session.
    v_near_at CONSTANT TIMESTAMPTZ := p_class.starts_at - make_interval(hours => 24 * v_days_ahead);
    v_overlapping UUID[];
BEGIN
    IF p_seats > p_class.max_seats THEN
        RETURN wallet.payment_refusal(409, 'too-many-seats', jsonb_build_object('max_seats', p_class.max_seats));
    ELSIF v_now < v_opens_at THEN
        RETURN wallet.payment_refusal(
            409, 'booking-not-open', jsonb_build_object('opens_at', wallet.rfc3339(v_opens_at))
        );
    ELSIF v_now >= v_closes_at THEN
        RETURN wallet.payment_refusal(
            409, 'booking-closed', jsonb_build_object('closed_at', wallet.rfc3339(v_closes_at))
        );
    ELSIF v_now < v_near_at THEN
        RETURN wallet.payment_refusal(409, 'too-far-ahead', jsonb_build_object(
            'days_ahead', v_days_ahead, 'opens_at', wallet.rfc3339(v_near_at)
        ));
    ELSIF p_class.max_overlaps IS NULL THEN
        RETURN NULL;
    END IF;
    v_overlapping := ARRAY(
        -- The query starts from the few classes at that time, because a member may have years of bookings.
        SELECT b.booking_id FROM wallet.classes AS c
        INNER JOIN wallet.bookings AS b
            ON
                c.class_id = b.class_id AND b.environment = p_environment AND b.account_id = p_account_id
                AND b.cancelled_at IS NULL
        WHERE
            tstzrange(c.starts_at, c.ends_at) && tstzrange(p_class.starts_at, p_class.ends_at)
            AND c.class_id <> p_class.class_id AND c.status = 'scheduled'
        ORDER BY c.starts_at, b.booking_id
    );
    IF cardinality(v_overlapping) > p_class.max_overlaps THEN
        RETURN wallet.payment_refusal(409, 'overlapping-booking', jsonb_build_object(
            'booking_id', v_overlapping[1], 'max_overlaps', p_class.max_overlaps
        ));
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.check_limits(wallet.classes, BIGINT, wallet.environment, INTEGER) IS
'Returns the limit of a class or plan that a booking would break, or null.';
