-- Leases up to p_limit messages that are due. The lease lasts a minute; then another instance may take them. It skips
-- rows that another transaction holds, so any number of instances share the work.
-- Locks: due messages, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.due_events(p_limit INTEGER) RETURNS SETOF wallet.due_event LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH due AS (
        SELECT i.inbox_id FROM wallet.inbox AS i
        WHERE i.next_attempt_at <= (SELECT wallet.now())
        ORDER BY i.next_attempt_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    ),

    leased AS (
        UPDATE wallet.inbox AS i SET next_attempt_at = (SELECT wallet.now()) + INTERVAL '60 seconds'
        FROM due AS d
        WHERE i.inbox_id = d.inbox_id
        RETURNING i.inbox_id, i.source, i.source_event_id, i.type, i.payload
    )

    SELECT l.inbox_id, l.source, l.source_event_id, l.type, l.payload FROM leased AS l ORDER BY l.inbox_id;
$$;
COMMENT ON FUNCTION wallet.due_events(INTEGER) IS 'Leases messages that are due, for a minute.';

-- Records that a stored message could not be processed for a reason outside the database, for example because a store
-- does not answer. If the message is already processed or ignored, nothing changes. The reason is an error code of the
-- wallet, never a value from the message.
-- p_retry_seconds: the wait that the store requested, if any; the schedule of wallet.mark_event may be longer. p_tried:
-- whether the store was called; false while the wallet pauses its requests to the store.
-- Locks: the message's row. Codes: WL404 message-not-found.
CREATE OR REPLACE FUNCTION wallet.fail_event(
    p_inbox_id BIGINT,
    p_reason TEXT,
    p_retry_seconds INTEGER,
    p_tried BOOLEAN DEFAULT TRUE
) RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.inbox;
    v_outcome wallet.event_outcome;
BEGIN
    SELECT i.* INTO v_known FROM wallet.inbox AS i WHERE i.inbox_id = p_inbox_id FOR UPDATE;
    IF FOUND THEN
        RETURN wallet.mark_event(
            p_inbox_id, 'failed', left(p_reason, 200), v_known.payload, make_interval(secs => p_retry_seconds),
            p_tried
        );
    END IF;
    v_outcome := wallet.archived_event(p_inbox_id, NULL, NULL);
    IF v_outcome.inbox_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'message-not-found';
    END IF;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.fail_event(BIGINT, TEXT, INTEGER, BOOLEAN) IS
'Records that a stored message could not be processed for a reason outside the database.';
