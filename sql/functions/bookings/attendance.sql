-- Marks a booking as attended for its member, who is at the class. Only an unmarked booking can be checked in: the
-- studio's mark stays. Repeating the call changes nothing. Returns whether it marked the booking.
-- Locks: the wallet, then see wallet.apply_move. Codes: WL401 unauthenticated (the account was deleted or merged since
-- the token was admitted), WL404 booking-not-found, WL409 booking-cancelled, WL409 already-marked, WL409
-- check-in-not-open, WL409 check-in-closed, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.check_in(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now TIMESTAMPTZ;
    v_booking wallet.bookings;
    v_marked TEXT;
    v_opens_at TIMESTAMPTZ;
    v_closes_at TIMESTAMPTZ;
    v_is_cancelled BOOLEAN;
BEGIN
    PERFORM wallet.lock_wallet(p_account_id, p_environment) FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    IF EXISTS (
        SELECT FROM wallet.accounts AS a
        WHERE a.account_id = p_account_id AND (a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL)
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    END IF;
    SELECT b.* INTO v_booking FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'booking-not-found';
    END IF;
    SELECT
        c.starts_at - make_interval(mins => coalesce(t.check_in_minutes_before, 60)),
        coalesce(c.starts_at + make_interval(mins => t.check_in_minutes_after), c.ends_at),
        c.status = 'cancelled' OR v_booking.cancelled_at IS NOT NULL
    INTO STRICT v_opens_at, v_closes_at, v_is_cancelled
    FROM wallet.classes AS c
    LEFT JOIN wallet.policy_terms AS t ON t.terms_id = v_booking.terms_id
    WHERE c.class_id = v_booking.class_id;
    PERFORM wallet.apply_move(c, v_booking) FROM wallet.classes AS c
    WHERE c.class_id = v_booking.class_id AND NOT v_is_cancelled;
    v_marked := (
        SELECT m.attendance FROM wallet.attendances AS m
        WHERE m.account_id = p_account_id AND m.booking_id = p_booking_id
    );
    v_now := wallet.now();
    IF v_is_cancelled THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'booking-cancelled';
    ELSIF v_marked = 'attended' THEN
        RETURN FALSE;
    ELSIF v_marked IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'already-marked',
            DETAIL = jsonb_build_object('attendance', v_marked)::TEXT;
    ELSIF v_now < v_opens_at THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'check-in-not-open',
            DETAIL = jsonb_build_object('opens_at', wallet.rfc3339(v_opens_at))::TEXT;
    ELSIF v_now >= v_closes_at THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'check-in-closed',
            DETAIL = jsonb_build_object('closed_at', wallet.rfc3339(v_closes_at))::TEXT;
    END IF;
    PERFORM wallet.mark_booking(v_booking, 'attended', TRUE);
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.check_in(BIGINT, wallet.environment, UUID) IS
'Marks a booking as attended for its member, in the class''s window.';

-- Marks the attendance of a booking, or removes its mark. The consequence of an earlier mark is withdrawn first, so
-- that marking again replaces it exactly. A no-show has the consequence of the booking's terms. If the booking has this
-- mark already, nothing changes.
-- p_attendance: attended, no_show or excused; null to remove the mark.
-- p_checked_in: whether the member checked in.
-- The caller holds the booking's wallet and those that now hold the lots of a fee (wallet.lock_lot_owners). Locks: no
-- others. Codes: see wallet.settle.
CREATE OR REPLACE FUNCTION wallet.mark_booking(p_booking wallet.bookings, p_attendance TEXT, p_checked_in BOOLEAN)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_consequence wallet.consequences;
BEGIN
    IF p_attendance IS NOT DISTINCT FROM (
        SELECT m.attendance FROM wallet.attendances AS m
        WHERE m.account_id = p_booking.account_id AND m.booking_id = p_booking.booking_id
    ) THEN
        RETURN;
    END IF;
    PERFORM wallet.withdraw_consequence(p_booking);
    IF p_attendance IS NULL THEN
        DELETE FROM wallet.attendances AS m
        WHERE m.account_id = p_booking.account_id AND m.booking_id = p_booking.booking_id;
    ELSE
        INSERT INTO wallet.attendances (account_id, booking_id, attendance, checked_in, marked_at)
        VALUES (p_booking.account_id, p_booking.booking_id, p_attendance, p_checked_in, wallet.now())
        ON CONFLICT (account_id, booking_id) DO UPDATE SET
            attendance = excluded.attendance,
            checked_in = excluded.checked_in,
            marked_at = excluded.marked_at;
    END IF;
    IF p_attendance = 'no_show' THEN
        v_consequence := wallet.apply_consequence(
            p_booking, 'no_show', (SELECT c.starts_at FROM wallet.classes AS c WHERE c.class_id = p_booking.class_id)
        );
    END IF;
    PERFORM wallet.emit(
        'booking.' || coalesce(p_attendance, 'unmarked'), p_booking.account_id, p_booking.environment,
        p_booking_id => p_booking.booking_id, p_details => CASE p_attendance
            WHEN 'attended' THEN jsonb_build_object('checked_in', p_checked_in)
            WHEN 'no_show' THEN jsonb_build_object(
                'fee', coalesce(v_consequence.fee, 0), 'strike', coalesce(v_consequence.strike, FALSE)
            )
        END
    );
END;
$$;
COMMENT ON FUNCTION wallet.mark_booking(wallet.bookings, TEXT, BOOLEAN) IS
'Marks the attendance of a booking, or removes its mark, and replaces the consequence of the earlier mark.';

-- Applies the consequence of a late cancellation or a no-show by the booking's terms, and returns it; null if the terms
-- have none. The price is kept in any case.
-- p_cause: late_cancel or no_show. p_at: when the booking was cancelled, or when the class begins.
-- The caller holds the wallet. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.apply_consequence(p_booking wallet.bookings, p_cause TEXT, p_at TIMESTAMPTZ)
RETURNS wallet.consequences LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_consequence wallet.consequences;
BEGIN
    SELECT
        CASE p_cause WHEN 'no_show' THEN t.no_show_fee ELSE t.late_cancel_fee END,
        CASE p_cause WHEN 'no_show' THEN t.no_show_strike ELSE t.late_cancel_strike END
    INTO v_consequence.fee, v_consequence.strike
    FROM wallet.policy_terms AS t
    WHERE t.terms_id = p_booking.terms_id AND (
        CASE p_cause WHEN 'no_show' THEN t.no_show_fee ELSE t.late_cancel_fee END > 0
        OR CASE p_cause WHEN 'no_show' THEN t.no_show_strike ELSE t.late_cancel_strike END
    );
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT w.version + 1 INTO STRICT v_consequence.first_version FROM wallet.wallets AS w
    WHERE w.account_id = p_booking.account_id AND w.environment = p_booking.environment;
    v_consequence.entry_count := CASE WHEN v_consequence.fee > 0 THEN wallet.charge_fee(
        p_booking.account_id, p_booking.environment, v_consequence.fee, p_booking.booking_id
    ) ELSE 0 END;
    INSERT INTO wallet.consequences AS c (
        account_id, environment, booking_id, cause, at, terms_id, fee, strike, ledger_account_id, first_version,
        entry_count
    ) VALUES (
        p_booking.account_id, p_booking.environment, p_booking.booking_id, p_cause, p_at, p_booking.terms_id,
        v_consequence.fee, v_consequence.strike, p_booking.account_id, v_consequence.first_version,
        v_consequence.entry_count
    ) RETURNING c.* INTO v_consequence;
    IF v_consequence.strike THEN
        PERFORM wallet.renew_block(p_booking.account_id, p_booking.environment);
    END IF;
    RETURN v_consequence;
END;
$$;
COMMENT ON FUNCTION wallet.apply_consequence(wallet.bookings, TEXT, TIMESTAMPTZ) IS
'Applies the consequence of a late cancellation or a no-show by the booking''s terms.';

-- Withdraws the consequence of a booking, if it has one: the fee returns to the lots that paid it, also if other
-- accounts hold them now, and the strike no longer counts.
-- The caller holds the wallets of all holders. Locks: no others. Codes: see wallet.settle.
CREATE OR REPLACE FUNCTION wallet.withdraw_consequence(p_booking wallet.bookings) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_slices CONSTANT wallet.owned_slice[] := wallet.fee_slices(p_booking);
    v_slice wallet.owned_slice;
    v_strike BOOLEAN;
BEGIN
    UPDATE wallet.consequences AS c SET withdrawn_at = wallet.now()
    WHERE c.account_id = p_booking.account_id AND c.booking_id = p_booking.booking_id AND c.withdrawn_at IS NULL
    RETURNING c.strike INTO v_strike;
    FOREACH v_slice IN ARRAY v_slices LOOP
        PERFORM wallet.return_to_lot(
            v_slice.account_id, p_booking.environment, v_slice.lot_id, 'fee_return', v_slice.amount,
            p_booking.booking_id
        );
        IF v_slice.account_id <> p_booking.account_id THEN
            PERFORM wallet.emit(
                'credits.granted', v_slice.account_id, p_booking.environment, p_booking_id => p_booking.booking_id
            );
        END IF;
    END LOOP;
    IF v_strike THEN
        PERFORM wallet.renew_block(p_booking.account_id, p_booking.environment);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.withdraw_consequence(wallet.bookings) IS
'Withdraws the consequence of a booking: the fee returns, and the strike no longer counts.';

-- Returns the lots that paid the fee of a booking's consequence, with the accounts that hold them now; none if there is
-- no fee, or if the consequence was withdrawn.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.fee_slices(p_booking wallet.bookings) RETURNS wallet.owned_slice[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(
            ROW(wallet.lot_owner(e.account_id, e.lot_id), e.lot_id, e.owed_change - e.amount)::wallet.owned_slice
            ORDER BY e.version
        ), '{}')
        FROM wallet.consequences AS c
        INNER JOIN wallet.entries AS e
            ON
                c.ledger_account_id = e.account_id AND c.environment = e.environment
                AND e.version BETWEEN c.first_version AND c.first_version + c.entry_count - 1
        WHERE
            c.account_id = p_booking.account_id AND c.booking_id = p_booking.booking_id AND c.withdrawn_at IS NULL
    );
END;
$$;
COMMENT ON FUNCTION wallet.fee_slices(wallet.bookings) IS
'Returns the lots that paid the fee of a booking''s consequence, and the accounts that hold them now.';

-- Stores until when the strikes of a wallet block bookings (wallet.strike_blocks), and emits an event if that changes
-- whether or how long the member is blocked.
-- The caller holds the wallet. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.renew_block(p_account_id BIGINT, p_environment wallet.environment) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_until CONSTANT TIMESTAMPTZ := coalesce((
        SELECT max(s.blocked_until) FROM wallet.strike_blocks AS s
        WHERE s.account_id = p_account_id AND s.environment = p_environment
    ), '-infinity');
    v_old TIMESTAMPTZ;
BEGIN
    SELECT w.blocked_until INTO STRICT v_old FROM wallet.wallets AS w
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
    IF v_until = v_old THEN
        RETURN;
    END IF;
    UPDATE wallet.wallets AS w SET blocked_until = v_until
    WHERE w.account_id = p_account_id AND w.environment = p_environment;
    IF v_until > wallet.now() THEN
        PERFORM wallet.emit('user.booking_blocked', p_account_id, p_environment, p_details => jsonb_build_object(
            'blocked_until', wallet.rfc3339(v_until)
        ));
    ELSIF v_old > wallet.now() THEN
        PERFORM wallet.emit('user.booking_unblocked', p_account_id, p_environment);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.renew_block(BIGINT, wallet.environment) IS
'Stores until when the strikes of a wallet block bookings.';
