-- Raises the first reason why an account cannot join a class's waitlist. It raises nothing if the account already waits
-- with the same request.
-- The caller holds the class's seats. Locks: none. Codes, in this order: WL409 class-closed, WL403 account-blocked,
-- WL409 already-booked, WL409 already-waiting, WL409 payment-not-accepted (pay_with has no valid form), WL409
-- seats-available, WL409 waitlist-closed, those of wallet.check_limits, WL409 class-full (the class has fewer seats
-- than requested).
CREATE OR REPLACE FUNCTION wallet.check_waitlist_eligibility(
    p_account wallet.accounts,
    p_environment wallet.environment,
    p_class_id TEXT,
    p_seats INTEGER,
    p_pay_with TEXT,
    p_max_amount BIGINT
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_plan wallet.booking_plan;
    v_booked UUID;
    v_known wallet.waitlist;
    v_capacity CONSTANT INTEGER := (
        SELECT s.capacity FROM wallet.class_seats AS s
        WHERE s.class_id = p_class_id AND s.environment = p_environment
    );
BEGIN
    SELECT c.* INTO STRICT v_class FROM wallet.classes AS c WHERE c.class_id = p_class_id;
    SELECT b.booking_id INTO v_booked FROM wallet.bookings AS b
    WHERE
        b.class_id = p_class_id AND b.environment = p_environment AND b.account_id = p_account.account_id
        AND b.cancelled_at IS NULL;
    SELECT w.* INTO v_known FROM wallet.waitlist AS w
    WHERE w.class_id = p_class_id AND w.environment = p_environment AND w.account_id = p_account.account_id;
    v_plan := CASE
        WHEN v_class.status <> 'scheduled' OR v_class.starts_at <= wallet.now()
            THEN wallet.payment_refusal(409, 'class-closed')
        WHEN p_account.blocked_at IS NOT NULL THEN wallet.payment_refusal(403, 'account-blocked')
        WHEN v_booked IS NOT NULL
            THEN wallet.payment_refusal(409, 'already-booked', jsonb_build_object('booking_id', v_booked))
        WHEN
            v_known.seats = p_seats AND v_known.asked_pay_with IS NOT DISTINCT FROM p_pay_with
            AND v_known.asked_max_amount IS NOT DISTINCT FROM p_max_amount
            THEN NULL
        WHEN v_known.entry_id IS NOT NULL THEN wallet.payment_refusal(409, 'already-waiting', (
            SELECT jsonb_build_object('place', count(*)) FROM wallet.waitlist AS w
            WHERE w.class_id = p_class_id AND w.environment = p_environment AND w.entry_id <= v_known.entry_id
        ))
        WHEN p_pay_with !~ '^(unlimited|visits|credits|[0-9A-Fa-f-]{36})$'
            THEN wallet.payment_refusal(409, 'payment-not-accepted', jsonb_build_object('pay_with', left(p_pay_with, 100)))
        WHEN wallet.seats_left(v_class, p_environment) >= p_seats THEN wallet.payment_refusal(
            409, 'seats-available', jsonb_build_object('seats_left', wallet.seats_left(v_class, p_environment))
        )
        WHEN NOT wallet.waitlist_is_open(v_class) THEN wallet.payment_refusal(409, 'waitlist-closed', jsonb_build_object(
            'closed_at', wallet.rfc3339(v_class.starts_at - make_interval(mins => v_class.waitlist_cutoff_minutes))
        ))
        ELSE coalesce(
            wallet.check_limits(v_class, p_account.account_id, p_environment, p_seats),
            CASE WHEN p_seats > v_capacity THEN wallet.payment_refusal(409, 'class-full', jsonb_build_object(
                'seats_left', wallet.seats_left(v_class, p_environment), 'seats_requested', p_seats
            )) END
        )
    END;
    IF v_plan.status IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'WL' || v_plan.status,
            MESSAGE = v_plan.slug,
            DETAIL = coalesce(v_plan.detail::TEXT, '');
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.check_waitlist_eligibility(
    wallet.accounts, wallet.environment, TEXT, INTEGER, TEXT, BIGINT
) IS 'Raises the first reason why an account cannot join a class''s waitlist.';
