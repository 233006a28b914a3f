-- Decides whether and how a booking can be paid, changing nothing: booking and quoting share this arithmetic.
-- Refusals, in this order: 401 unauthenticated (the account was deleted or merged since the token was admitted), 404
-- class-not-found, 409 class-closed, 403 account-blocked, 409 already-booked, what wallet.check_limits says, 409
-- class-full, 409 payment-not-accepted, 402 insufficient-credits, 409 price-changed.
-- p_promoted: whether a seat that is held for the waitlist may be taken.
-- Locks: none. Codes: in the answer.
CREATE OR REPLACE FUNCTION wallet.plan_booking(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT,
    p_seats INTEGER,
    p_pay_with TEXT,
    p_max_amount BIGINT,
    p_promoted BOOLEAN DEFAULT FALSE
) RETURNS wallet.booking_plan LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_account wallet.accounts;
    v_plan wallet.booking_plan;
    v_booked UUID;
    v_seats_left INTEGER;
BEGIN
    SELECT a.* INTO v_account FROM wallet.accounts AS a WHERE a.account_id = p_account_id;
    IF v_account.deleted_at IS NOT NULL OR v_account.merged_into IS NOT NULL THEN
        RETURN wallet.no_plan(401, 'unauthenticated');
    END IF;
    SELECT c.* INTO v_class FROM wallet.classes AS c WHERE c.class_id = p_class_id;
    IF NOT FOUND THEN
        RETURN wallet.no_plan(404, 'class-not-found');
    ELSIF v_class.status <> 'scheduled' OR v_class.starts_at <= wallet.now() THEN
        RETURN wallet.no_plan(409, 'class-closed');
    ELSIF v_account.blocked_at IS NOT NULL THEN
        RETURN wallet.no_plan(403, 'account-blocked');
    END IF;
    SELECT b.booking_id INTO v_booked FROM wallet.bookings AS b
    WHERE
        b.class_id = p_class_id AND b.environment = p_environment AND b.account_id = p_account_id
        AND b.status = 'booked';
    IF FOUND THEN
        RETURN wallet.no_plan(409, 'already-booked', jsonb_build_object('booking_id', v_booked));
    END IF;
    v_plan := wallet.check_limits(v_class, p_account_id, p_environment, p_seats);
    IF v_plan.status IS NOT NULL THEN
        RETURN v_plan;
    END IF;
    v_seats_left := wallet.seats_left(v_class, p_environment, p_promoted);
    IF v_seats_left < p_seats THEN
        RETURN wallet.no_plan(
            409, 'class-full', jsonb_build_object('seats_left', v_seats_left, 'seats_requested', p_seats)
        );
    END IF;
    v_plan := wallet.choose_payment(p_account_id, p_environment, v_class, p_seats, p_pay_with);
    IF v_plan.amount > p_max_amount THEN
        RETURN wallet.no_plan(
            409, 'price-changed', jsonb_build_object('amount', v_plan.amount, 'max_amount', p_max_amount)
        );
    END IF;
    RETURN v_plan;
END;
$$;
COMMENT ON FUNCTION wallet.plan_booking(BIGINT, wallet.environment, TEXT, INTEGER, TEXT, BIGINT, BOOLEAN) IS
'Decides whether and how a booking can be paid.';
