-- Carries out UPDATE admin.webhook_inbox SET status = 'new': the inbox worker tries the message again at once, its
-- attempts counted from zero. An ignored one is read again by the present rules.
-- Locks: the message's row. Codes: WL422 column-not-editable, WL422 status-not-possible, WL409 event-already-processed.
CREATE OR REPLACE FUNCTION wallet.admin_update_inbox() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    IF to_jsonb(OLD) - 'status' IS DISTINCT FROM to_jsonb(NEW) - 'status' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only status can be set, to new.';
    ELSIF NEW.status IS DISTINCT FROM 'new' THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'status-not-possible',
            HINT = 'Only ''new'' can be set: it replays the message.';
    END IF;
    UPDATE wallet.inbox AS i SET
        status = 'new',
        attempts = 0,
        next_attempt_at = wallet.now()
    WHERE i.inbox_id = OLD.inbox_id;
    IF NOT FOUND THEN
        WITH back AS (
            DELETE FROM wallet.inbox_done AS d WHERE d.inbox_id = OLD.inbox_id AND d.status = 'ignored' RETURNING d.*
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
            HINT = 'What it said is in the books. The reconciler repairs what differs from the store.';
    END IF;
    RETURN NEW;
EXCEPTION
    WHEN SQLSTATE 'WL000' OR integrity_constraint_violation OR data_exception THEN
        GET STACKED DIAGNOSTICS
            v_refusal.state = RETURNED_SQLSTATE, v_refusal.message = MESSAGE_TEXT,
            v_refusal.detail = PG_EXCEPTION_DETAIL, v_refusal.hint = PG_EXCEPTION_HINT,
            v_refusal.name = CONSTRAINT_NAME, v_refusal.lacking = COLUMN_NAME;
        v_refusal := wallet.admin_refusal(v_refusal);
        RAISE EXCEPTION USING ERRCODE = v_refusal.state, MESSAGE = v_refusal.message, DETAIL = v_refusal.detail,
            HINT = v_refusal.hint;
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_inbox() IS 'Carries out UPDATE admin.webhook_inbox.';
