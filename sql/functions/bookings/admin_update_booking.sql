-- Carries out UPDATE admin.bookings. Setting status to 'cancelled' cancels a booking as its user would; with
-- cancelled_by = 'studio', everything returns. Setting returned to the amount of a booking that was cancelled late
-- waives the late cancellation. Each change needs a reason.
-- Locks and codes: see wallet.cancel_for_user, wallet.waive_cancellation; WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_update_booking() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
    v_note CONSTANT wallet.action_note := ROW(session_user, NEW.reason, NULL, NULL);
    v_changed CONSTANT TEXT[] := ARRAY(
        SELECT n.key FROM jsonb_each(to_jsonb(NEW)) AS n
        WHERE n.value IS DISTINCT FROM to_jsonb(OLD) -> n.key AND n.key <> 'reason'
    );
BEGIN
    IF
        OLD.status = 'booked' AND NEW.status = 'cancelled' AND v_changed <@ ARRAY['status', 'cancelled_by']
        AND coalesce(NEW.cancelled_by, 'user') IN ('user', 'studio')
    THEN
        PERFORM wallet.cancel_for_user(
            OLD.account_id, OLD.environment, OLD.booking_id, NEW.cancelled_by IS NOT DISTINCT FROM 'studio', v_note
        );
    ELSIF OLD.status = 'cancelled' AND v_changed = ARRAY['returned'] AND NEW.returned = OLD.amount THEN
        PERFORM wallet.waive_cancellation(OLD.account_id, OLD.environment, OLD.booking_id, v_note);
    ELSIF v_changed <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'To cancel, SET status = ''cancelled''; with cancelled_by = ''studio'' the full cost is returned. '
                'To waive a late cancellation, SET returned = amount. Both need a reason.';
    END IF;
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
COMMENT ON FUNCTION wallet.admin_update_booking() IS 'Carries out UPDATE admin.bookings.';
