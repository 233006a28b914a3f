-- Carries out INSERT INTO admin.stores: enables a store from a given time.
-- Locks: none. Codes: no others.
CREATE OR REPLACE FUNCTION wallet.admin_write_store() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    INSERT INTO wallet.stores (store, grants_from) VALUES (NEW.store, NEW.grants_from)
    RETURNING created_at INTO NEW.created_at;
    PERFORM wallet.record_action(NULL, 'enable-store', 'store', NEW.store, '{}', to_jsonb(NEW) - 'created_at');
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
COMMENT ON FUNCTION wallet.admin_write_store() IS 'Carries out INSERT INTO admin.stores.';
