-- Takes one verified message of a store, once: (source, source_event_id) names it for ever. A redelivery is answered
-- with what became of it, but one that is still new, failed or quarantined is tried again now, as it is read now.
-- Two deliveries at once: the second waits for the first. Effect and mark commit together, so a service that dies
-- between them has done neither, and the store sends again.
-- Locks: the message's row, then see wallet.attempt_event. Codes: WL422 event-incomplete.
CREATE OR REPLACE FUNCTION wallet.receive_event(
    p_source TEXT,
    p_source_event_id TEXT,
    p_type TEXT,
    p_event JSONB
) RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.inbox;
    v_outcome wallet.event_outcome;
BEGIN
    IF
        coalesce(p_source, '') = '' OR coalesce(p_source_event_id, '') = ''
        OR jsonb_typeof(p_event) IS DISTINCT FROM 'object'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'event-incomplete';
    END IF;
    LOOP
        INSERT INTO wallet.inbox AS i (source, source_event_id, type, payload, received_at)
        VALUES (p_source, p_source_event_id, p_type, p_event, wallet.now())
        ON CONFLICT (source, source_event_id) DO NOTHING
        RETURNING i.* INTO v_known;
        IF FOUND THEN
            -- Only now: the transaction that held the name until then may have archived the message.
            v_outcome := wallet.archived_event(NULL, p_source, p_source_event_id);
            EXIT WHEN v_outcome.inbox_id IS NULL;
            DELETE FROM wallet.inbox AS i WHERE i.inbox_id = v_known.inbox_id;
            RETURN v_outcome;
        END IF;
        SELECT i.* INTO v_known FROM wallet.inbox AS i
        WHERE i.source = p_source AND i.source_event_id = p_source_event_id
        FOR UPDATE;
        -- It may have been done with just now.
        EXIT WHEN FOUND;
    END LOOP;
    IF v_known.status IN ('new', 'failed', 'quarantined') THEN
        RETURN wallet.attempt_event(v_known.inbox_id, p_event, FALSE);
    END IF;
    v_outcome.inbox_id := v_known.inbox_id;
    v_outcome.status := v_known.status;
    v_outcome.reason := v_known.reason;
    v_outcome.duplicate := TRUE;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.receive_event(TEXT, TEXT, TEXT, JSONB) IS 'Takes one verified message of a store, once.';
