-- Stores an authentic message that could not be parsed, reduced to the data that a later release needs
-- (wallet.raw_needed). It is quarantined for an administrator and not retried automatically. If a message with its id
-- is already stored, nothing changes.
-- p_type: the type, used if the message itself contains none.
-- Locks: the message's source and id, then its row. Codes: WL422 event-incomplete.
CREATE OR REPLACE FUNCTION wallet.quarantine_event(
    p_source TEXT,
    p_id TEXT,
    p_type TEXT,
    p_raw JSONB,
    p_reason TEXT
) RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome;
    v_done wallet.event_outcome;
BEGIN
    IF coalesce(p_source, '') = '' OR coalesce(p_id, '') = '' OR p_raw IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'event-incomplete';
    END IF;
    PERFORM wallet.lock_message(p_source, p_id);
    LOOP
        v_outcome.duplicate := FALSE;
        INSERT INTO wallet.inbox AS i (source, source_event_id, type, payload, status, reason, received_at)
        VALUES (
            p_source, p_id, coalesce(wallet.raw_type(p_raw), p_type),
            wallet.without_deleted(jsonb_build_object('raw', wallet.raw_needed(p_source, p_raw))), 'quarantined',
            left(coalesce(p_reason, 'unreadable'), 200), wallet.now()
        )
        ON CONFLICT (source, source_event_id) DO NOTHING
        RETURNING i.inbox_id, i.status, i.reason INTO v_outcome.inbox_id, v_outcome.status, v_outcome.reason;
        IF FOUND THEN
            v_done := wallet.archived_event(NULL, p_source, p_id);
            EXIT WHEN v_done.inbox_id IS NULL;
            DELETE FROM wallet.inbox AS i WHERE i.inbox_id = v_outcome.inbox_id;
            RETURN v_done;
        END IF;
        v_outcome.duplicate := TRUE;
        SELECT i.inbox_id, i.status, i.reason INTO v_outcome.inbox_id, v_outcome.status, v_outcome.reason
        FROM wallet.inbox AS i WHERE i.source = p_source AND i.source_event_id = p_id;
        EXIT WHEN FOUND;
    END LOOP;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.quarantine_event(TEXT, TEXT, TEXT, JSONB, TEXT) IS
'Stores an authentic message that could not be parsed.';
