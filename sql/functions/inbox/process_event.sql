-- Attempts to process a stored message again. p_event is the message with the store's answer, or as the current release
-- parses it. If it is null, no question was sent, and the stored message is used.
-- Locks: the message's row, then see wallet.attempt_event. Codes: WL404 event-not-found.
CREATE OR REPLACE FUNCTION wallet.process_event(p_inbox_id BIGINT, p_event JSONB)
RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.inbox;
    v_outcome wallet.event_outcome;
BEGIN
    SELECT i.* INTO v_known FROM wallet.inbox AS i WHERE i.inbox_id = p_inbox_id FOR UPDATE;
    IF FOUND THEN
        RETURN wallet.attempt_event(p_inbox_id, coalesce(p_event, v_known.payload), p_event IS NOT NULL);
    END IF;
    v_outcome := wallet.archived_event(p_inbox_id, NULL, NULL);
    IF v_outcome.inbox_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'event-not-found';
    END IF;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.process_event(BIGINT, JSONB) IS 'Attempts to process a stored message again.';
