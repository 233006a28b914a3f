-- Carries out UPDATE admin.bookings. Setting status to 'cancelled' cancels a booking as its user would; with
-- cancelled_by = 'studio', everything returns. Setting returned to the amount of a booking that was cancelled late
-- waives the late cancellation, as does setting fee to 0 or strike to FALSE. Setting attendance marks it. Each change
-- but a mark needs a reason.
-- Locks and codes: see wallet.cancel_for_user, wallet.waive_cancellation, wallet.mark_attendance; WL422
-- column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_update_booking(p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.bookings := p_old;
    v_new CONSTANT admin.bookings := p_new;
    v_note CONSTANT wallet.action_note := ROW(session_user, v_new.reason, NULL, NULL);
    v_changed CONSTANT TEXT[] := ARRAY(
        SELECT n.key FROM jsonb_each(to_jsonb(v_new)) AS n
        WHERE n.value IS DISTINCT FROM to_jsonb(v_old) -> n.key AND n.key <> 'reason'
    );
BEGIN
    IF
        v_old.status = 'booked' AND v_new.status = 'cancelled' AND v_changed <@ ARRAY['status', 'cancelled_by']
        AND coalesce(v_new.cancelled_by, 'user') IN ('user', 'studio')
    THEN
        PERFORM wallet.cancel_for_user(
            v_old.account_id, v_old.environment, v_old.booking_id, v_new.cancelled_by IS NOT DISTINCT FROM 'studio',
            v_note
        );
    ELSIF v_changed = ARRAY['attendance'] THEN
        PERFORM wallet.mark_attendance(
            v_old.environment, v_old.class_id, ARRAY[v_old.booking_id], v_new.attendance, v_note
        );
    ELSIF
        v_old.status = 'cancelled' AND v_changed <> '{}' AND v_changed <@ ARRAY['returned', 'fee', 'strike']
        AND (v_new.returned = v_old.amount OR v_new.returned = v_old.returned)
        AND (v_new.fee = 0 OR v_new.fee = v_old.fee) AND (NOT v_new.strike OR v_old.strike)
    THEN
        PERFORM wallet.waive_cancellation(v_old.account_id, v_old.environment, v_old.booking_id, v_note);
    ELSIF v_changed <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'To cancel, SET status = ''cancelled''; with cancelled_by = ''studio'' the full cost is returned. '
                'To waive a late cancellation, SET returned = amount. Both need a reason. '
                'To mark the attendance, SET attendance.';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_booking(RECORD, RECORD) IS 'Carries out UPDATE admin.bookings.';

-- Cancels a booking for its user, by one of two policies. By the user's policy, a late cancellation returns nothing,
-- and no booking can be cancelled once the class has begun. By the studio's policy (p_in_full), everything returns at
-- any time.
-- Locks: see wallet.decide_batch. Codes: WL404 booking-not-found, WL409 not-cancellable (also if already cancelled),
-- WL422 reason-required, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.cancel_for_user(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_in_full BOOLEAN,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking CONSTANT wallet.bookings := wallet.lock_booking(p_account_id, p_environment, p_booking_id, p_note);
    v_before JSONB;
    v_outcome wallet.booking_outcome;
BEGIN
    IF v_booking.cancelled_at IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'not-cancellable';
    END IF;
    v_before := wallet.booking_state(p_account_id, p_booking_id);
    SELECT c.* INTO v_outcome
    FROM wallet.cancel_bookings(ARRAY[v_booking], CASE WHEN p_in_full THEN 'studio' ELSE 'user' END) AS c;
    IF v_outcome.slug IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL' || v_outcome.status, MESSAGE = v_outcome.slug;
    END IF;
    RETURN wallet.record_action(
        p_note, 'cancel-booking', 'booking', p_booking_id::TEXT, v_before,
        wallet.booking_state(p_account_id, p_booking_id), p_account_id, p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.cancel_for_user(BIGINT, wallet.environment, UUID, BOOLEAN, wallet.action_note) IS
'Cancels a booking for its user, by the user''s policy or with a full return.';

-- Waives a late cancellation, once: its strike is withdrawn, and its fee and the full payment return to the lots that
-- paid, also if other accounts hold them now. A lot that has ended reopens for its days of grace, starting now. If it
-- has reopened before, the returned amount lapses immediately.
-- Locks: the wallet; then, without waiting, the wallets that now own lots that paid.
-- Codes: WL404 booking-not-found, WL404 user-not-found (the account was deleted), WL409 nothing-to-waive, WL422
-- reason-required, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.waive_cancellation(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking CONSTANT wallet.bookings := wallet.lock_booking(p_account_id, p_environment, p_booking_id, p_note);
    v_fee_slices CONSTANT wallet.owned_slice[] := wallet.fee_slices(v_booking);
    v_now TIMESTAMPTZ;
    v_item wallet.batch_item;
    v_before JSONB;
BEGIN
    IF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = p_account_id AND a.deleted_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found';
    END IF;
    v_before := wallet.booking_state(p_account_id, p_booking_id);
    IF NOT (
        v_before @> '{"late_cancel": true}' AND (
            v_booking.returned < v_booking.amount OR v_before @> '{"strike": true}' OR cardinality(v_fee_slices) > 0
        )
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'nothing-to-waive';
    ELSIF NOT wallet.lock_lot_owners(
        p_account_id, p_environment, wallet.booking_slices(v_booking) || v_fee_slices
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    UPDATE wallet.bookings AS b SET returned = b.amount
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
    v_now := wallet.now();
    v_item.account_id := p_account_id;
    v_item.environment := p_environment;
    v_item.booking_id := p_booking_id;
    v_item.cancelled_by := 'studio';
    v_item.amount := v_booking.amount;
    PERFORM wallet.return_slices(v_item, v_now);
    RETURN wallet.record_action(
        p_note, 'waive-cancellation', 'booking', p_booking_id::TEXT, v_before,
        wallet.booking_state(p_account_id, p_booking_id), p_account_id, p_environment, v_now
    );
END;
$$;
COMMENT ON FUNCTION wallet.waive_cancellation(BIGINT, wallet.environment, UUID, wallet.action_note) IS
'Waives a late cancellation, once: the full payment and the fee return, and the strike is withdrawn.';

-- Marks the attendance of bookings of a class, all or none, from an hour before its start. Marking again replaces the
-- consequence of the earlier mark. A mark needs no reason.
-- p_attendance: attended, no_show, excused, or unmarked to remove the marks.
-- Locks: the wallets by id; then, without waiting, the wallets that now own lots that paid a fee. Codes: WL400
-- malformed-request (another attendance), WL404 class-not-found, WL404 booking-not-found, WL409 booking-cancelled (both
-- with the booking), WL409 attendance-not-open, WL503 wallet-busy (also if a member was merged meanwhile).
CREATE OR REPLACE FUNCTION wallet.mark_attendance(
    p_environment wallet.environment,
    p_class_id TEXT,
    p_booking_ids UUID[],
    p_attendance TEXT,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_opens_at TIMESTAMPTZ;
    v_account_ids BIGINT[];
    v_bookings wallet.bookings[];
    v_booking wallet.bookings;
    v_refused UUID;
    v_before JSONB;
    v_after JSONB;
BEGIN
    IF p_attendance IN ('attended', 'no_show', 'excused', 'unmarked') IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'malformed-request';
    END IF;
    v_account_ids := ARRAY(
        SELECT w.account_id FROM wallet.wallets AS w
        INNER JOIN wallet.bookings AS b ON w.account_id = b.account_id AND w.environment = b.environment
        WHERE b.booking_id = ANY(p_booking_ids) AND b.environment = p_environment AND b.class_id = p_class_id
        ORDER BY w.account_id
        FOR UPDATE OF w
    );
    -- The bookings are read again, because one of them may have been cancelled meanwhile. If a merge moved one, its
    -- present wallet is not locked.
    v_bookings := ARRAY(
        SELECT b FROM wallet.bookings AS b
        WHERE b.booking_id = ANY(p_booking_ids) AND b.environment = p_environment AND b.class_id = p_class_id
        ORDER BY b.account_id
    );
    IF EXISTS (SELECT FROM unnest(v_bookings) AS b WHERE b.account_id <> ALL(v_account_ids)) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    SELECT c.* INTO v_class FROM wallet.classes AS c WHERE c.class_id = p_class_id;
    v_opens_at := v_class.starts_at - INTERVAL '60 minutes';
    v_refused := (
        SELECT i.id FROM unnest(p_booking_ids) WITH ORDINALITY AS i (id, place)
        WHERE i.id NOT IN (SELECT b.booking_id FROM unnest(v_bookings) AS b)
        ORDER BY i.place
        LIMIT 1
    );
    IF v_class.class_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'class-not-found';
    ELSIF v_refused IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'booking-not-found',
            DETAIL = jsonb_build_object('booking_id', v_refused)::TEXT;
    END IF;
    v_refused := (
        SELECT b.booking_id FROM unnest(p_booking_ids) WITH ORDINALITY AS i (id, place)
        INNER JOIN unnest(v_bookings) AS b ON i.id = b.booking_id
        WHERE b.cancelled_at IS NOT NULL OR v_class.status = 'cancelled'
        ORDER BY i.place
        LIMIT 1
    );
    IF v_refused IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'booking-cancelled',
            DETAIL = jsonb_build_object('booking_id', v_refused)::TEXT;
    ELSIF wallet.now() < v_opens_at THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'attendance-not-open',
            DETAIL = jsonb_build_object('opens_at', wallet.rfc3339(v_opens_at))::TEXT;
    END IF;
    FOREACH v_booking IN ARRAY v_bookings LOOP
        PERFORM wallet.lock_wallet(v_booking.account_id, p_environment);
        IF NOT wallet.lock_lot_owners(v_booking.account_id, p_environment, wallet.fee_slices(v_booking)) THEN
            RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
        END IF;
        PERFORM wallet.apply_move(v_class, v_booking);
    END LOOP;
    v_before := wallet.attendance_state(v_bookings);
    FOREACH v_booking IN ARRAY v_bookings LOOP
        PERFORM wallet.mark_booking(v_booking, nullif(p_attendance, 'unmarked'), FALSE);
    END LOOP;
    v_after := wallet.attendance_state(v_bookings);
    IF v_before = v_after THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    RETURN wallet.record_action(
        p_note, 'mark-attendance', 'class', p_class_id, v_before, v_after, p_environment => p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.mark_attendance(wallet.environment, TEXT, UUID[], TEXT, wallet.action_note) IS
'Marks the attendance of bookings of a class, all or none.';

-- Returns the attendance of bookings by their ids, with the sums of their fees and strikes, as the audit records them
-- before and after an action.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.attendance_state(p_bookings wallet.bookings[]) RETURNS JSONB LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
            'fees', coalesce(sum(d.fee), 0), 'strikes', count(*) FILTER (WHERE d.strike)
        ) || coalesce(jsonb_object_agg(d.booking_id, d.attendance) FILTER (WHERE d.booking_id IS NOT NULL), '{}')
        FROM unnest(p_bookings) AS b
        INNER JOIN wallet.booking_details AS d ON b.account_id = d.account_id AND b.booking_id = d.booking_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.attendance_state(wallet.bookings[]) IS
'Returns the attendance of bookings with their fees and strikes, for the audit.';

-- Checks the reason of an operator's action, locks the wallet of a booking and returns the booking. As in every
-- cancellation, expired lots lapse first. The lock keeps other transactions from changing the wallet.
-- Locks: the wallet. Codes: WL422 reason-required, WL404 booking-not-found, in this order.
CREATE OR REPLACE FUNCTION wallet.lock_booking(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_note wallet.action_note
) RETURNS wallet.bookings LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking wallet.bookings;
BEGIN
    IF wallet.is_plain_text(p_note.reason) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required';
    END IF;
    PERFORM wallet.lock_wallet(p_account_id, p_environment) FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    SELECT b.* INTO v_booking FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'booking-not-found';
    END IF;
    RETURN v_booking;
END;
$$;
COMMENT ON FUNCTION wallet.lock_booking(BIGINT, wallet.environment, UUID, wallet.action_note) IS
'Locks the wallet of a booking for an operator''s action and returns the booking.';

-- Returns a booking with the sums of its wallet, as the audit records them before and after an action.
CREATE OR REPLACE FUNCTION wallet.booking_state(p_account_id BIGINT, p_booking_id UUID) RETURNS JSONB LANGUAGE plpgsql
STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT wallet.wallet_state(b.account_id, b.environment) || jsonb_build_object(
            'status', b.status, 'cancelled_by', b.cancelled_by, 'late_cancel', b.late_cancel, 'returned', b.returned,
            'fee', nullif(b.fee, 0), 'strike', nullif(b.strike, FALSE)
        )
        FROM wallet.booking_details AS b
        WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.booking_state(BIGINT, UUID) IS
'Returns a booking with the sums of its wallet, for the audit.';
