-- Applies a message if that is possible now, and returns its status and reason; the caller adds the number. On failure,
-- only this message is undone. The reason is the SQLSTATE with the error code or constraint name, never a value.
-- p_answered: whether p_event contains the store's answer. If not, a message with a question waits for the answer.
-- Errors that the message did not cause (no disk, no memory, a cancelled or broken connection) are raised.
-- Locks: those of wallet.apply_event. Codes: no others.
CREATE OR REPLACE FUNCTION wallet.try_event(p_event JSONB, p_answered BOOLEAN) RETURNS wallet.event_outcome
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome;
    v_state TEXT;
    v_code TEXT;
    v_constraint TEXT;
BEGIN
    IF p_event ? 'raw' THEN
        v_outcome.status := 'parked';
        RETURN v_outcome;
    ELSIF p_event ->> 'ignored' IS NOT NULL THEN
        v_outcome.status := 'ignored';
        v_outcome.reason := p_event ->> 'ignored';
        RETURN v_outcome;
    ELSIF
        NOT p_answered
        AND coalesce(p_event ->> 'question', p_event ->> 'consumption_request', p_event ->> 'refund_review') IS NOT NULL
    THEN
        v_outcome.status := 'new';
        RETURN v_outcome;
    END IF;
    BEGIN
        v_outcome.reason := wallet.apply_event(p_event);
        v_outcome.status := CASE WHEN v_outcome.reason IS NULL THEN 'processed' ELSE 'parked' END;
    EXCEPTION WHEN
        -- The wallet's own errors, and error classes caused by the message or by concurrency. Class 40 is a deadlock or
        -- serialization failure, class 55 a lock timeout.
        SQLSTATE 'WL000' OR cardinality_violation OR data_exception OR integrity_constraint_violation
        OR transaction_rollback OR syntax_error_or_access_rule_violation OR program_limit_exceeded
        OR object_not_in_prerequisite_state OR feature_not_supported OR plpgsql_error OR case_not_found
    THEN
        GET STACKED DIAGNOSTICS
            v_state = RETURNED_SQLSTATE, v_code = MESSAGE_TEXT, v_constraint = CONSTRAINT_NAME;
        v_outcome.status := 'failed';
        v_outcome.reason := concat_ws(
            ' ', v_state, CASE WHEN v_state LIKE 'WL%' THEN v_code ELSE nullif(v_constraint, '') END
        );
    END;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.try_event(JSONB, BOOLEAN) IS
'Applies a message if that is possible now, and returns the result.';
