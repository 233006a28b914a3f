-- Carries out UPDATE admin.purchases SET released.
-- Locks and codes: see wallet.set_released.
CREATE OR REPLACE FUNCTION wallet.admin_release_purchase() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    PERFORM wallet.set_released(
        OLD.account_id, OLD.claim_id, coalesce(NEW.released, FALSE),
        ROW(session_user, NEW.reason, NULL, NULL)::wallet.action_note
    )
    WHERE NEW.released IS DISTINCT FROM OLD.released;
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
COMMENT ON FUNCTION wallet.admin_release_purchase() IS 'Carries out UPDATE admin.purchases SET released.';
