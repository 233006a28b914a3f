-- Carries out UPDATE admin.review_flags SET resolution.
-- Locks and codes: see wallet.resolve_flag; WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_update_review_flag() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    IF to_jsonb(OLD) - ARRAY['resolution', 'reason']
        IS DISTINCT FROM to_jsonb(NEW) - ARRAY['resolution', 'reason']
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only resolution can be set, with a reason.';
    END IF;
    PERFORM wallet.resolve_flag(
        OLD.flag_id, NEW.resolution, ROW(session_user, NEW.reason, NULL, NULL)::wallet.action_note
    );
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
COMMENT ON FUNCTION wallet.admin_update_review_flag() IS 'Carries out UPDATE admin.review_flags.';
