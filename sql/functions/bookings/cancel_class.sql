-- Cancels a class for an operator, once per key: see wallet.call_off_class.
-- Locks: the operator's key, then see wallet.call_off_class. Codes: WL403 right-missing, WL422 idempotency-key-reused,
-- WL422 reason-required for a blank reason or one with control characters; see wallet.call_off_class.
CREATE OR REPLACE FUNCTION wallet.cancel_class(
    p_class_id TEXT,
    p_reason TEXT,
    p_actor TEXT,
    p_key TEXT,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.check_right('cancel-class', p_right);
    IF NOT wallet.is_plain_text(p_reason) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required',
            HINT = 'A reason must be one line without control characters.';
    END IF;
    IF wallet.operator_replays(p_actor, p_key, 'cancel-class', jsonb_build_array(p_class_id, p_reason)) THEN
        RETURN;
    END IF;
    PERFORM wallet.call_off_class(p_class_id, ROW(p_actor, p_reason, NULL, NULL)::wallet.action_note);
END;
$$;
COMMENT ON FUNCTION wallet.cancel_class(TEXT, TEXT, TEXT, TEXT, wallet.operator_right) IS
'Cancels a class and all its bookings.';

-- Cancels a class. From then on it cannot be booked, and its waitlist is closed. Its bookings return in full:
-- wallet.settle_classes cancels them in batches, or their members cancel them first. The roster keeps them. Repeating
-- the call changes nothing.
-- The answer contains the number of bookings, the amounts that return, and the number of waiting members, in both
-- environments.
-- Locks: the class and its seats by environment. Codes: WL404 class-not-found, WL409 class-closed once it has begun.
CREATE OR REPLACE FUNCTION wallet.call_off_class(p_class_id TEXT, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
    v_after JSONB;
BEGIN
    v_class := wallet.lock_class(p_class_id);
    IF v_class.class_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'class-not-found';
    ELSIF v_class.status = 'cancelled' THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    ELSIF v_class.starts_at <= wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'class-closed';
    END IF;
    SELECT jsonb_build_object(
        'status', 'cancelled', 'bookings', count(*),
        'credits', coalesce(sum(b.amount) FILTER (WHERE b.unit = 'credit'), 0),
        'visits', coalesce(sum(b.amount) FILTER (WHERE b.unit = 'visit'), 0),
        'waiting', (SELECT count(*) FROM wallet.waitlist AS w WHERE w.class_id = p_class_id)
    ) INTO v_after
    FROM wallet.bookings AS b
    WHERE b.class_id = p_class_id AND b.cancelled_at IS NULL;
    UPDATE wallet.classes AS c SET
        status = 'cancelled',
        settled = (v_after ->> 'bookings')::BIGINT = 0,
        cancelled_at = wallet.now(),
        cancel_reason = p_note.reason,
        updated_at = wallet.now()
    WHERE c.class_id = p_class_id;
    INSERT INTO wallet.called_off_bookings (class_id, booking_id)
    SELECT DISTINCT b.class_id, b.booking_id FROM wallet.bookings AS b
    WHERE b.class_id = p_class_id AND b.cancelled_at IS NULL;
    PERFORM wallet.close_waitlist(p_class_id);
    RETURN wallet.record_action(
        p_note, 'cancel-class', 'class', p_class_id, '{"status": "scheduled"}', v_after
    );
END;
$$;
COMMENT ON FUNCTION wallet.call_off_class(TEXT, wallet.action_note) IS
'Cancels a class, and returns how many bookings and amounts this affects.';
