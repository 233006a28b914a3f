-- Carries out UPDATE admin.webhook_inbox SET status = 'new'.
-- Locks and codes: see wallet.replay_message; WL422 column-not-editable, WL422 invalid-status.
CREATE OR REPLACE FUNCTION wallet.admin_update_inbox(p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.webhook_inbox := p_old;
    v_new CONSTANT admin.webhook_inbox := p_new;
BEGIN
    IF to_jsonb(v_old) - 'status' IS DISTINCT FROM to_jsonb(v_new) - 'status' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only status can be set, and only to ''new''.';
    ELSIF v_new.status IS DISTINCT FROM 'new' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'invalid-status',
            HINT = 'Only ''new'' can be set: it replays the message.';
    END IF;
    PERFORM wallet.replay_message(v_old.inbox_id, NULL);
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_inbox(RECORD, RECORD) IS 'Carries out UPDATE admin.webhook_inbox.';

-- Replays a message of a store: the inbox worker tries it again immediately, with attempts counted from zero. An
-- ignored message is parsed again by the current rules.
-- Locks: the message's row, or the source and id of an ignored message. Codes: WL404 message-not-found, WL409
-- message-already-processed.
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
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'message-not-found';
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
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'message-already-processed',
            HINT = 'Its changes are in the ledger. The reconciler repairs differences from the store.';
    END IF;
    RETURN wallet.record_action(
        p_note, 'replay-message', 'message', p_inbox_id::TEXT, v_before, '{"status": "new", "attempts": 0}',
        p_named => v_named
    );
END;
$$;
COMMENT ON FUNCTION wallet.replay_message(BIGINT, wallet.action_note) IS 'Replays a message of a store.';

-- Carries out UPDATE admin.outbox SET status = 'pending'.
-- Locks and codes: see wallet.resend_event; WL422 column-not-editable, WL422 invalid-status.
CREATE OR REPLACE FUNCTION wallet.admin_update_outbox(p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.outbox := p_old;
    v_new CONSTANT admin.outbox := p_new;
BEGIN
    IF to_jsonb(v_old) - 'status' IS DISTINCT FROM to_jsonb(v_new) - 'status' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only status can be set, and only to ''pending''.';
    ELSIF v_new.status IS DISTINCT FROM 'pending' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'invalid-status',
            HINT = 'Only ''pending'' can be set: it sends the event again.';
    END IF;
    PERFORM wallet.resend_event(v_old.event_id, NULL);
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_outbox(RECORD, RECORD) IS 'Carries out UPDATE admin.outbox.';

-- Sends an event again: the delivery worker takes it immediately, with attempts counted from zero. A delivered event is
-- sent again under the same id.
-- Locks: the delivery's row. Codes: WL404 event-not-found.
CREATE OR REPLACE FUNCTION wallet.resend_event(p_event_id BIGINT, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_event wallet.outbox;
    v_before wallet.deliveries;
BEGIN
    SELECT d.* INTO v_before FROM wallet.deliveries AS d WHERE d.event_id = p_event_id FOR UPDATE;
    -- The delivery's event_at identifies the partition.
    SELECT o.* INTO v_event FROM wallet.outbox AS o
    WHERE o.event_id = p_event_id AND (v_before.event_at IS NULL OR o.at = v_before.event_at);
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'event-not-found';
    END IF;
    INSERT INTO wallet.deliveries AS d (event_id, event_at, next_attempt_at)
    VALUES (p_event_id, v_event.at, wallet.now())
    ON CONFLICT (event_id) DO UPDATE SET
        status = 'pending', attempts = 0, next_attempt_at = excluded.next_attempt_at, delivered_at = NULL;
    RETURN wallet.record_action(
        p_note, 'resend-event', 'event', p_event_id::TEXT,
        jsonb_build_object('status', v_before.status, 'attempts', v_before.attempts),
        '{"status": "pending", "attempts": 0}', v_event.account_id, v_event.environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.resend_event(BIGINT, wallet.action_note) IS 'Sends an event again.';

-- Carries out INSERT on admin.outbox: emits a test event for a user known to the wallet.
-- Locks and codes: see wallet.send_test_event; WL404 user-not-found, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_insert_outbox(p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_new CONSTANT admin.outbox := p_new;
    v_account_id CONSTANT BIGINT := (
        SELECT i.account_id FROM wallet.identities AS i WHERE i.user_id = wallet.canonical_user_id(v_new.user_id)
    );
BEGIN
    IF
        v_new.type IS DISTINCT FROM 'endpoint.test'
        OR jsonb_strip_nulls(to_jsonb(v_new)) - ARRAY['type', 'user_id', 'environment'] <> '{}'
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only test events can be sent. Set type = ''endpoint.test'', user_id and, for sandbox, environment.';
    ELSIF v_account_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found';
    END IF;
    PERFORM wallet.send_test_event(v_account_id, coalesce(v_new.environment, 'production'), NULL);
END;
$$;
COMMENT ON FUNCTION wallet.admin_insert_outbox(RECORD) IS 'Carries out INSERT on admin.outbox.';

-- Sends the test event endpoint.test, to check that the endpoint accepts deliveries. Receivers ignore it, like every
-- unknown type.
CREATE OR REPLACE FUNCTION wallet.send_test_event(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.emit('endpoint.test', p_account_id, p_environment);
    RETURN wallet.record_action(
        p_note, 'send-test-event', 'user', NULL, '{}', '{"type": "endpoint.test"}', p_account_id, p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.send_test_event(BIGINT, wallet.environment, wallet.action_note) IS
'Sends a test event to the endpoint.';
