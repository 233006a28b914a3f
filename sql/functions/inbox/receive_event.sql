-- Receives one verified message of a store, exactly once; (source, source_event_id) identifies it permanently. A
-- redelivery returns the known outcome, but a message that is still new, failed or quarantined is tried again, as
-- parsed now. Of two concurrent deliveries, the second waits for the first. The effect and its record commit together:
-- if the service dies in between, neither is stored, and the store sends the message again. A message that is processed
-- at once is written directly to inbox_done, because storing most messages twice would add a twentieth to their cost.
-- Locks: the message's source and id, then its row, then see wallet.try_event. Codes: WL422 event-incomplete.
CREATE OR REPLACE FUNCTION wallet.receive_event(
    p_source TEXT,
    p_source_event_id TEXT,
    p_type TEXT,
    p_event JSONB
) RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_received_at CONSTANT TIMESTAMPTZ := wallet.now();
    v_known wallet.inbox;
    v_outcome wallet.event_outcome;
BEGIN
    IF
        coalesce(p_source, '') = '' OR coalesce(p_source_event_id, '') = ''
        OR jsonb_typeof(p_event) IS DISTINCT FROM 'object'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'event-incomplete';
    END IF;
    PERFORM wallet.lock_message(p_source, p_source_event_id);
    SELECT i.* INTO v_known FROM wallet.inbox AS i
    WHERE i.source = p_source AND i.source_event_id = p_source_event_id
    FOR UPDATE;
    IF FOUND THEN
        IF v_known.status IN ('new', 'failed', 'quarantined') THEN
            RETURN wallet.attempt_event(v_known.inbox_id, p_event, FALSE);
        END IF;
        RETURN ROW(v_known.inbox_id, v_known.status, v_known.reason, TRUE)::wallet.event_outcome;
    END IF;
    -- This must come after the lock: the session that held the row may have archived the message.
    v_outcome := wallet.archived_event(NULL, p_source, p_source_event_id);
    IF v_outcome.inbox_id IS NOT NULL THEN
        PERFORM wallet.await_standby();
        RETURN v_outcome;
    END IF;
    v_outcome := wallet.try_event(p_event, FALSE);
    IF v_outcome.status IN ('processed', 'ignored') THEN
        INSERT INTO wallet.inbox_done (
            inbox_id, source, source_event_id, type, payload, status, reason, attempts, received_at, processed_at
        ) VALUES (
            nextval('wallet.inbox_inbox_id_seq'), p_source, p_source_event_id, p_type, wallet.trim_event(p_event),
            v_outcome.status, v_outcome.reason, 0, v_received_at, wallet.now()
        ) RETURNING inbox_id, status, reason, FALSE INTO v_outcome;
        RETURN v_outcome;
    END IF;
    INSERT INTO wallet.inbox AS i (source, source_event_id, type, payload, received_at)
    VALUES (p_source, p_source_event_id, p_type, p_event, v_received_at)
    RETURNING i.* INTO v_known;
    RETURN wallet.mark_event(
        v_known.inbox_id, v_outcome.status,
        CASE WHEN p_event ? 'raw' THEN 'unreadable' ELSE v_outcome.reason END, p_event
    );
END;
$$;
COMMENT ON FUNCTION wallet.receive_event(TEXT, TEXT, TEXT, JSONB) IS
'Receives one verified message of a store, exactly once.';
