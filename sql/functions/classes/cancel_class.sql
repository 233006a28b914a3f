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
