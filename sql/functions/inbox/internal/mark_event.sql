-- Writes down what became of an attempt at a message. One that is processed or ignored keeps no personal text. One that
-- failed is tried again after 5 s, doubling up to an hour, and after 20 failures in a row is quarantined: somebody
-- should look, but its reason may pass by itself, so it is tried again every 6 hours. One that must wait is parked and
-- tried again after 5 s, doubling up to a day, for as long as it takes. One that nobody could read is quarantined at
-- once and never tried again by itself. What is done with moves to inbox_done, to go with its week; for what stays
-- quarantined see wallet.drop_quarantined.
-- Attempts count those in vain that ended alike, so what waited for long is not given up at its first failure.
-- p_status: what became of it. p_retry: how long to wait at least, where somebody asks for more than the schedule.
-- p_tried: whether it was an attempt; what nobody tried, since a store is left alone, counts as none and waits for half
-- a minute at least.
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
        -- Somebody may be asking the store already: a redelivery must not call a second one sooner.
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
'Writes down what became of an attempt at a message.';
