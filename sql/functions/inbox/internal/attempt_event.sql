-- Makes one attempt at a message that is stored: applies it (see wallet.try_event) and marks it, both or neither.
-- Locks: the message's row, which the caller holds, then those of wallet.apply_event. Codes: none of its own.
CREATE OR REPLACE FUNCTION wallet.attempt_event(p_inbox_id BIGINT, p_event JSONB, p_answered BOOLEAN)
RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome := wallet.try_event(p_event, p_answered);
BEGIN
    IF p_event ? 'raw' THEN
        SELECT coalesce(i.reason, 'unreadable') INTO STRICT v_outcome.reason FROM wallet.inbox AS i
        WHERE i.inbox_id = p_inbox_id;
    END IF;
    RETURN wallet.mark_event(p_inbox_id, v_outcome.status, v_outcome.reason, p_event);
END;
$$;
COMMENT ON FUNCTION wallet.attempt_event(BIGINT, JSONB, BOOLEAN) IS
'Makes one attempt at a message: applies it and marks it, both or neither.';
