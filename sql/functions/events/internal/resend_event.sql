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
