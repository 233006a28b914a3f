-- Adds an account at the end of a class's waitlist. It charges nothing and checks no balance, because the member may
-- buy credits before a seat is free. If the account already waits with the same request, its entry stays unchanged.
-- Returns: whether the entry is new.
-- Locks: the account (against deletion and merging), then the class's seats, so that no seat becomes free between the
-- check and the insert. Codes: see wallet.refuse_request, then wallet.decide_booking.
CREATE OR REPLACE FUNCTION wallet.join_waitlist(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT,
    p_seats INTEGER,
    p_pay_with TEXT,
    p_max_amount BIGINT
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now CONSTANT TIMESTAMPTZ := wallet.now();
    v_request wallet.booking_request;
    v_item wallet.batch_item;
    v_refusal wallet.booking_plan;
BEGIN
    PERFORM FROM wallet.accounts AS a WHERE a.account_id = p_account_id FOR SHARE;
    PERFORM FROM wallet.class_seats AS s
    WHERE s.class_id = p_class_id AND s.environment = p_environment
    FOR UPDATE;
    v_request.operation := 'wait';
    v_request.account_id := p_account_id;
    v_request.environment := p_environment;
    v_request.class_id := p_class_id;
    v_request.seats := p_seats;
    v_request.pay_with := p_pay_with;
    v_request.max_amount := p_max_amount;
    SELECT r.* INTO STRICT v_item FROM wallet.read_bookings(ARRAY[v_request], NULL, FALSE, v_now) AS r;
    v_refusal := wallet.refuse_request(v_item);
    IF v_refusal.status IS NULL THEN
        v_refusal := wallet.decide_booking(v_item, v_item.seats_left, NULL, v_now);
    END IF;
    IF v_refusal.status IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'WL' || v_refusal.status,
            MESSAGE = v_refusal.slug,
            DETAIL = coalesce(v_refusal.detail::TEXT, '');
    END IF;
    INSERT INTO wallet.waitlist (class_id, environment, account_id, seats, asked_pay_with, asked_max_amount, joined_at)
    VALUES (p_class_id, p_environment, p_account_id, p_seats, p_pay_with, p_max_amount, v_now)
    ON CONFLICT (class_id, environment, account_id) DO NOTHING;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    PERFORM wallet.emit('waitlist.joined', p_account_id, p_environment, p_details => (
        SELECT jsonb_build_object('class_id', p_class_id, 'place', count(*)) FROM wallet.waitlist AS w
        WHERE w.class_id = p_class_id AND w.environment = p_environment
    ));
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.join_waitlist(BIGINT, wallet.environment, TEXT, INTEGER, TEXT, BIGINT) IS
'Adds an account to the waitlist of a class.';
