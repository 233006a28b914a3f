-- Carries out INSERT on admin.outbox: emits a test event for a user known to the wallet.
-- Locks and codes: see wallet.send_test_event; WL404 user-not-found, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_insert_outbox() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
    v_account_id CONSTANT BIGINT := (
        SELECT i.account_id FROM wallet.identities AS i WHERE i.user_id = wallet.canonical_user_id(NEW.user_id)
    );
BEGIN
    IF
        NEW.type IS DISTINCT FROM 'endpoint.test'
        OR jsonb_strip_nulls(to_jsonb(NEW)) - ARRAY['type', 'user_id', 'environment'] <> '{}'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only test events can be sent. Set type = ''endpoint.test'', user_id and, for sandbox, environment.';
    ELSIF v_account_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found';
    END IF;
    PERFORM wallet.send_test_event(v_account_id, coalesce(NEW.environment, 'production'), NULL);
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
COMMENT ON FUNCTION wallet.admin_insert_outbox() IS 'Carries out INSERT on admin.outbox.';
