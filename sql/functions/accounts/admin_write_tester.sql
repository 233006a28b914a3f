-- Carries out INSERT and DELETE on admin.testers.
-- Locks: the tester's row. Codes: WL422 user-required.
CREATE OR REPLACE FUNCTION wallet.admin_write_tester() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NOT wallet.is_plain_text(NEW.user_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'user-required',
                HINT = 'A user_id must be one line without control characters.';
        END IF;
        NEW.user_id := wallet.canonical_user_id(NEW.user_id);
        PERFORM wallet.set_tester(wallet.account_for(NEW.user_id), TRUE, NULL);
        RETURN NEW;
    END IF;
    PERFORM wallet.set_tester(i.account_id, FALSE, NULL) FROM wallet.identities AS i WHERE i.user_id = OLD.user_id;
    RETURN OLD;
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
COMMENT ON FUNCTION wallet.admin_write_tester() IS 'Carries out INSERT and DELETE on admin.testers.';
