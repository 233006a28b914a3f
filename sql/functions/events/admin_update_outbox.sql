-- Carries out UPDATE admin.outbox SET status = 'pending'.
-- Locks and codes: see wallet.resend_event; WL422 column-not-editable, WL422 status-not-possible.
CREATE OR REPLACE FUNCTION wallet.admin_update_outbox() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    IF to_jsonb(OLD) - 'status' IS DISTINCT FROM to_jsonb(NEW) - 'status' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only status can be set, and only to ''pending''.';
    ELSIF NEW.status IS DISTINCT FROM 'pending' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'status-not-possible',
            HINT = 'Only ''pending'' can be set: it sends the event again.';
    END IF;
    PERFORM wallet.resend_event(OLD.event_id, NULL);
    RETURN NEW;
EXCEPTION
    WHEN SQLSTATE 'WL000' OR integrity_constraint_violation OR data_exception THEN
        GET STACKED DIAGNOSTICS
            v_refusal.state = RETURNED_SQLSTATE, v_refusal.message = MESSAGE_TEXT,
            v_refusal.detail = PG_EXCEPTION_DETAIL, v_refusal.hint = PG_EXCEPTION_HINT,
            v_refusal.name = CONSTRAINT_NAME, v_refusal.lacking = COLUMN_NAME;
        v_refusal := wallet.admin_refusal(v_refusal);
        RAISE EXCEPTION USING ERRCODE = v_refusal.state, MESSAGE = v_refusal.message, DETAIL = v_refusal.detail,
            HINT = v_refusal.hint;
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_outbox() IS 'Carries out UPDATE admin.outbox.';
