-- Books one item of a group whose wallet and seats are locked. A key that was used before answers its booking as it is
-- now (200, replayed) or, for another request, 422 idempotency-key-reused. A refusal is not pinned to its key.
-- p_key: the client's; null where the wallet books by itself, so that no client's key can be the same.
-- Who has booked waits no longer. p_promoted: whether the waitlist books; that may take the seats held for it, and is
-- free to cancel for half an hour.
-- Locks: none of its own. Codes: in the answer (see wallet.plan_booking).
CREATE OR REPLACE FUNCTION wallet.book_one(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_key TEXT,
    p_class_id TEXT,
    p_seats INTEGER,
    p_pay_with TEXT,
    p_max_amount BIGINT,
    p_promoted BOOLEAN DEFAULT FALSE
) RETURNS wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.bookings;
    v_plan wallet.booking_plan;
    v_version BIGINT;
    v_count INTEGER := 0;
BEGIN
    SELECT b.* INTO v_known FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.environment = p_environment AND b.idempotency_key = p_key;
    IF FOUND THEN
        IF
            (v_known.class_id, v_known.seats) <> (p_class_id, p_seats)
            OR v_known.asked_pay_with IS DISTINCT FROM p_pay_with
            OR v_known.asked_max_amount IS DISTINCT FROM p_max_amount
        THEN
            RETURN wallet.refusal(422, 'idempotency-key-reused', NULL);
        END IF;
        RETURN wallet.booking_answer(200, TRUE, p_account_id, v_known.booking_id);
    END IF;
    v_plan := wallet.plan_booking(
        p_account_id, p_environment, p_class_id, p_seats, p_pay_with, p_max_amount, p_promoted
    );
    IF v_plan.status IS NOT NULL THEN
        RETURN wallet.refusal(v_plan.status, v_plan.slug, v_plan.detail);
    END IF;

    IF v_plan.unit IS NULL THEN
        v_version := wallet.post_entry(
            p_account_id, p_environment, 'spend', NULL, 0, 0, NULL, p_booking_id, NULL, NULL, NULL
        );
        v_count := 1;
    END IF;
    FOR v_slice IN 1 .. cardinality(v_plan.lot_ids) LOOP
        v_version := wallet.post_lot(
            p_account_id, p_environment, v_plan.lot_ids[v_slice], 'spend',
            p_spent => v_plan.amounts[v_slice], p_booking_id => p_booking_id
        );
        v_count := v_count + 1;
    END LOOP;
    INSERT INTO wallet.bookings (
        account_id, booking_id, environment, class_id, idempotency_key, seats, asked_pay_with, asked_max_amount, unit,
        amount, first_version, entry_count, free_minutes_before, free_until, created_at, moves_known, moves_told,
        promoted
    )
    SELECT
        p_account_id, p_booking_id, p_environment, p_class_id, p_key, p_seats, p_pay_with, p_max_amount, v_plan.unit,
        v_plan.amount, v_version - v_count + 1, v_count, c.free_minutes_before,
        greatest(
            c.starts_at - make_interval(mins => c.free_minutes_before),
            CASE WHEN p_promoted THEN least(wallet.now() + interval '30 minutes', c.starts_at) END
        ),
        wallet.now(), c.moves, c.moves, p_promoted
    FROM wallet.classes AS c
    WHERE c.class_id = p_class_id;
    PERFORM wallet.take_seats(p_account_id, p_environment, p_class_id, p_seats, p_promoted);
    PERFORM wallet.emit(
        'booking.created', p_account_id, p_environment, p_booking_id => p_booking_id,
        p_details => CASE WHEN p_promoted THEN '{"from_waitlist": true}'::JSONB END
    );
    RETURN wallet.booking_answer(201, FALSE, p_account_id, p_booking_id);
END;
$$;
COMMENT ON FUNCTION wallet.book_one(
    BIGINT, wallet.environment, UUID, TEXT, TEXT, INTEGER, TEXT, BIGINT, BOOLEAN
) IS 'Books one item of a group whose wallet and seats are locked.';
