-- Cancels a class for everybody. From then on nobody can book it, and its waitlist is closed; its bookings are returned
-- in full, in batches, by wallet.settle_classes, or as soon as their member cancels. Again it does nothing.
-- Locks: the operator's key, then the class and its seats by environment. Codes: WL403 right-missing, WL404
-- class-not-found, WL409 class-closed once it has begun, WL422 idempotency-key-reused, WL422 reason-required for a
-- reason that says nothing.
CREATE OR REPLACE FUNCTION wallet.cancel_class(
    p_class_id TEXT,
    p_reason TEXT,
    p_actor TEXT,
    p_key TEXT,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
BEGIN
    PERFORM wallet.check_right('cancel-class', p_right);
    IF NOT wallet.is_plain_text(p_reason) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required',
            HINT = 'A reason is one line without control characters.';
    END IF;
    IF wallet.operator_replays(p_actor, p_key, 'cancel-class', jsonb_build_array(p_class_id, p_reason)) THEN
        RETURN;
    END IF;
    v_class := wallet.lock_class(p_class_id);
    IF v_class.class_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'class-not-found';
    ELSIF v_class.status = 'cancelled' THEN
        RETURN;
    ELSIF v_class.starts_at <= wallet.now() THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'class-closed';
    END IF;
    UPDATE wallet.classes AS c SET
        status = 'cancelled',
        settled = NOT EXISTS (
            SELECT FROM wallet.bookings AS b WHERE b.class_id = p_class_id AND b.cancelled_at IS NULL
        ),
        cancelled_at = wallet.now(),
        cancel_reason = p_reason,
        updated_at = wallet.now()
    WHERE c.class_id = p_class_id;
    PERFORM wallet.close_waitlist(p_class_id);
    PERFORM wallet.record_action(
        ROW(p_actor, p_reason, NULL, NULL)::wallet.action_note, 'cancel-class', 'class', p_class_id,
        '{"status": "scheduled"}', '{"status": "cancelled"}'
    );
END;
$$;
COMMENT ON FUNCTION wallet.cancel_class(TEXT, TEXT, TEXT, TEXT, wallet.operator_right) IS
'Cancels a class for everybody.';
