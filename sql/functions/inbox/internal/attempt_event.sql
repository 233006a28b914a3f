-- Attempts to process a stored message: applies it (see wallet.try_event) and records the result, in one transaction.
-- Locks: the message's row, which the caller holds, then those of wallet.apply_event. Codes: no others.
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
'Attempts to process a message: applies it and records the result, in one transaction.';
