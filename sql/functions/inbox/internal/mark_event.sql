-- Records the result of an attempt to process a message.
-- A processed or ignored message moves to inbox_done without personal text, and is dropped with its week. A failed one
-- is retried after 5 s, doubling up to an hour. After 20 failures in a row it is quarantined for an administrator, but
-- still retried every 6 hours, because the cause may disappear. A message that waits for a user is parked and retried
-- after 5 s, doubling up to a day, without an end. An unreadable message is quarantined immediately and not retried;
-- see wallet.drop_quarantined for its end.
-- The attempts count only consecutive failures with the same status, so that a long wait does not count towards the 20
-- failures.
-- p_status: the result. p_retry: the minimum wait, if the caller requests more than the schedule. p_tried: false if the
-- store was not called, because the wallet pauses its requests to it; this does not count as an attempt and waits for
-- at least half a minute.
-- Locks: the message's row, which the caller holds. Codes: none.
CREATE OR REPLACE FUNCTION wallet.mark_event(
    p_inbox_id BIGINT,
    p_status TEXT,
    p_reason TEXT,
    p_event JSONB,
    p_retry INTERVAL DEFAULT NULL,
    p_tried BOOLEAN DEFAULT TRUE
) RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_most_failures CONSTANT INTEGER := 20;
    v_known wallet.inbox;
    v_attempts INTEGER;
    v_status TEXT := p_status;
    v_is_given_up BOOLEAN := FALSE;
    v_next TIMESTAMPTZ;
    v_outcome wallet.event_outcome;
BEGIN
    SELECT i.* INTO STRICT v_known FROM wallet.inbox AS i WHERE i.inbox_id = p_inbox_id FOR UPDATE;
    IF p_status IN ('processed', 'ignored') THEN
        RETURN wallet.archive_event(p_inbox_id, p_status, p_reason, wallet.trim_event(p_event));
    END IF;
    v_attempts := v_known.attempts;
    IF p_status IN ('failed', 'parked') THEN
        v_is_given_up := p_event ? 'raw' OR (p_status = 'failed' AND v_known.status = 'quarantined');
        IF p_tried THEN
            v_attempts := CASE WHEN v_known.status = p_status OR v_is_given_up THEN v_attempts + 1 ELSE 1 END;
        END IF;
        v_is_given_up := v_is_given_up OR (p_status = 'failed' AND v_attempts >= v_most_failures);
        v_next := wallet.now() + greatest(p_retry, wallet.retry_delay(
            CASE WHEN p_tried THEN v_attempts ELSE 4 END,
            CASE p_status WHEN 'failed' THEN INTERVAL '1 hour' ELSE INTERVAL '1 day' END
        ), CASE WHEN v_is_given_up AND p_tried THEN INTERVAL '6 hours' * (1 - random() / 4) END);
    ELSIF p_status = 'new' THEN
        -- A worker may be calling the store already: a redelivery must not start a second call sooner.
        v_next := greatest(v_known.next_attempt_at, wallet.now() + coalesce(p_retry, INTERVAL '60 seconds'));
    END IF;
    IF v_is_given_up THEN
        v_status := 'quarantined';
    END IF;
    IF p_event ? 'raw' THEN
        v_next := NULL;
    END IF;
    UPDATE wallet.inbox AS i SET
        status = v_status,
        reason = p_reason,
        payload = wallet.without_deleted(p_event),
        attempts = v_attempts,
        next_attempt_at = v_next
    WHERE i.inbox_id = p_inbox_id;
    v_outcome.inbox_id := p_inbox_id;
    v_outcome.status := v_status;
    v_outcome.reason := p_reason;
    v_outcome.duplicate := FALSE;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.mark_event(BIGINT, TEXT, TEXT, JSONB, INTERVAL, BOOLEAN) IS
'Records the result of an attempt to process a message.';
