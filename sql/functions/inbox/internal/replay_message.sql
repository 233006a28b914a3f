-- Replays a message of a store: the inbox worker tries it again immediately, with attempts counted from zero. An
-- ignored message is parsed again by the current rules.
-- Locks: the message's row, or the source and id of an ignored message. Codes: WL404 event-not-found, WL409
-- event-already-processed.
CREATE OR REPLACE FUNCTION wallet.replay_message(p_inbox_id BIGINT, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_before JSONB;
    v_named TEXT[];
BEGIN
    SELECT jsonb_build_object('status', i.status, 'attempts', i.attempts), i.names INTO v_before, v_named FROM wallet.inbox AS i
    WHERE i.inbox_id = p_inbox_id
    FOR UPDATE;
    IF NOT FOUND THEN
        -- No concurrent delivery may store the message as new while it moves back.
        PERFORM wallet.lock_message(d.source, d.source_event_id) FROM wallet.inbox_done AS d
        WHERE d.inbox_id = p_inbox_id;
        SELECT jsonb_build_object('status', d.status, 'attempts', d.attempts) INTO v_before
        FROM wallet.inbox_done AS d
        WHERE d.inbox_id = p_inbox_id;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'event-not-found';
    END IF;
    UPDATE wallet.inbox AS i SET
        status = 'new',
        attempts = 0,
        next_attempt_at = wallet.now()
    WHERE i.inbox_id = p_inbox_id;
    IF NOT FOUND THEN
        WITH back AS (
            DELETE FROM wallet.inbox_done AS d WHERE d.inbox_id = p_inbox_id AND d.status = 'ignored' RETURNING d.*
        )

        INSERT INTO wallet.inbox (
            inbox_id, source, source_event_id, type, payload, reason, next_attempt_at, received_at
        ) OVERRIDING SYSTEM VALUE
        SELECT
            b.inbox_id, b.source, b.source_event_id, b.type, b.payload, b.reason, wallet.now(), b.received_at
        FROM back AS b;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'event-already-processed',
            HINT = 'Its changes are in the ledger. The reconciler repairs differences from the store.';
    END IF;
    RETURN wallet.record_action(
        p_note, 'replay-message', 'message', p_inbox_id::TEXT, v_before, '{"status": "new", "attempts": 0}',
        p_named => v_named
    );
END;
$$;
COMMENT ON FUNCTION wallet.replay_message(BIGINT, wallet.action_note) IS 'Replays a message of a store.';
