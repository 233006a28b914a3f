-- Carries out UPDATE admin.bookings. Setting status to 'cancelled' cancels a booking as its user would; with
-- cancelled_by = 'studio', everything returns. Setting returned to the amount of a booking that was cancelled late
-- waives the late cancellation. Each change needs a reason.
-- Locks and codes: see wallet.cancel_for_user, wallet.waive_cancellation; WL422 column-not-editable.
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
    ELSIF v_old.status = 'cancelled' AND v_changed = ARRAY['returned'] AND v_new.returned = v_old.amount THEN
        PERFORM wallet.waive_cancellation(v_old.account_id, v_old.environment, v_old.booking_id, v_note);
    ELSIF v_changed <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'To cancel, SET status = ''cancelled''; with cancelled_by = ''studio'' the full cost is returned. '
                'To waive a late cancellation, SET returned = amount. Both need a reason.';
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

-- Waives a late cancellation, once. The full payment returns to the lots that paid, also if other accounts hold them
-- now. A lot that has ended reopens for its days of grace, starting now. If it has reopened before, the returned amount
-- lapses immediately.
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
    IF NOT (v_before @> '{"late_cancel": true, "returned": 0}' AND v_booking.amount > 0) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'nothing-to-waive';
    ELSIF NOT wallet.lock_lot_owners(p_account_id, p_environment, wallet.booking_slices(v_booking)) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    UPDATE wallet.bookings AS b SET returned = b.amount
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
    v_now := wallet.now();
    v_item.account_id := p_account_id;
    v_item.environment := p_environment;
    v_item.booking_id := p_booking_id;
    v_item.cancelled_by := 'studio';
    PERFORM wallet.return_slices(v_item, v_now);
    RETURN wallet.record_action(
        p_note, 'waive-cancellation', 'booking', p_booking_id::TEXT, v_before,
        wallet.booking_state(p_account_id, p_booking_id), p_account_id, p_environment, v_now
    );
END;
$$;
COMMENT ON FUNCTION wallet.waive_cancellation(BIGINT, wallet.environment, UUID, wallet.action_note) IS
'Waives a late cancellation, once: the full payment returns.';

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
CREATE OR REPLACE FUNCTION wallet.booking_state(p_account_id BIGINT, p_booking_id UUID) RETURNS JSONB LANGUAGE sql
STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT wallet.wallet_state(b.account_id, b.environment) || jsonb_build_object(
        'status', b.status, 'cancelled_by', b.cancelled_by, 'late_cancel', b.late_cancel, 'returned', b.returned
    )
    FROM wallet.booking_details AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
$$;
COMMENT ON FUNCTION wallet.booking_state(BIGINT, UUID) IS
'Returns a booking with the sums of its wallet, for the audit.';
