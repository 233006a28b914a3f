-- Makes one attempt at a message whose row the caller holds: applies it and marks it, both or neither. What fails is
-- undone alone and marked with its SQLSTATE and the code or constraint that it broke, never with a value.
-- p_answered: somebody asked the store, and p_event is what it said; else a message with a question waits for that.
-- What is no fault of the message (no disk, no memory, a cancelled or broken connection) is raised and leaves no mark.
-- Locks: the message's row, then those of wallet.apply_event. Codes: none of its own.
CREATE OR REPLACE FUNCTION wallet.attempt_event(p_inbox_id BIGINT, p_event JSONB, p_answered BOOLEAN)
RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_reason TEXT;
    v_state TEXT;
    v_code TEXT;
    v_constraint TEXT;
BEGIN
    IF p_event ? 'raw' THEN
        SELECT i.reason INTO STRICT v_reason FROM wallet.inbox AS i WHERE i.inbox_id = p_inbox_id;
        RETURN wallet.mark_event(p_inbox_id, 'parked', coalesce(v_reason, 'unreadable'), p_event);
    ELSIF p_event ->> 'ignored' IS NOT NULL THEN
        RETURN wallet.mark_event(p_inbox_id, 'ignored', p_event ->> 'ignored', p_event);
    ELSIF NOT p_answered AND coalesce(p_event ->> 'question', p_event ->> 'consumption_request') IS NOT NULL THEN
        RETURN wallet.mark_event(p_inbox_id, 'new', NULL, p_event);
    END IF;
    BEGIN
        v_reason := wallet.apply_event(p_event);
    EXCEPTION WHEN
        -- Ours, and by class: what the message or the moment is to blame for. Class 40 is a deadlock or a lost race,
        -- class 55 a lock that took too long.
        SQLSTATE 'WL000' OR cardinality_violation OR data_exception OR integrity_constraint_violation
        OR transaction_rollback OR syntax_error_or_access_rule_violation OR program_limit_exceeded
        OR object_not_in_prerequisite_state OR feature_not_supported OR plpgsql_error OR case_not_found
    THEN
        GET STACKED DIAGNOSTICS
            v_state = RETURNED_SQLSTATE, v_code = MESSAGE_TEXT, v_constraint = CONSTRAINT_NAME;
        RETURN wallet.mark_event(p_inbox_id, 'failed', concat_ws(
            ' ', v_state, CASE WHEN v_state LIKE 'WL%' THEN v_code ELSE nullif(v_constraint, '') END
        ), p_event);
    END;
    RETURN wallet.mark_event(
        p_inbox_id, CASE WHEN v_reason IS NULL THEN 'processed' ELSE 'parked' END, v_reason, p_event
    );
END;
$$;
COMMENT ON FUNCTION wallet.attempt_event(BIGINT, JSONB, BOOLEAN) IS
'Makes one attempt at a message: applies it and marks it, both or neither.';
