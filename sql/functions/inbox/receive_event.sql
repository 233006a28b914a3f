-- Receives one verified message of a store, exactly once; (source, source_event_id) identifies it permanently. A
-- redelivery returns the known outcome, but a message that is still new, failed or quarantined is tried again, as
-- parsed now. Of two concurrent deliveries, the second waits for the first. The effect and its record commit together:
-- if the service dies in between, neither is stored, and the store sends the message again. A message that is processed
-- at once is written directly to inbox_done, because storing most messages twice would add a twentieth to their cost.
-- Locks: the message's source and id, then its row, then see wallet.try_event. Codes: WL422 message-incomplete.
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
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'message-incomplete';
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

-- Attempts to process a stored message again. p_event is the message with the store's answer, or as the current release
-- parses it. If it is null, no question was sent, and the stored message is used.
-- Locks: the message's row, then see wallet.attempt_event. Codes: WL404 message-not-found.
CREATE OR REPLACE FUNCTION wallet.process_event(p_inbox_id BIGINT, p_event JSONB)
RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.inbox;
    v_outcome wallet.event_outcome;
BEGIN
    SELECT i.* INTO v_known FROM wallet.inbox AS i WHERE i.inbox_id = p_inbox_id FOR UPDATE;
    IF FOUND THEN
        RETURN wallet.attempt_event(p_inbox_id, coalesce(p_event, v_known.payload), p_event IS NOT NULL);
    END IF;
    v_outcome := wallet.archived_event(p_inbox_id, NULL, NULL);
    IF v_outcome.inbox_id IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'message-not-found';
    END IF;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.process_event(BIGINT, JSONB) IS 'Attempts to process a stored message again.';

-- Locks a message's source and id until the transaction ends, so that concurrent deliveries of it run one after the
-- other. A message that is processed at once has no row in wallet.inbox to lock.
-- Locks: an advisory lock on source and id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_message(p_source TEXT, p_source_event_id TEXT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.inbox ' || p_source || ' ' || p_source_event_id, 0));
END;
$$;
COMMENT ON FUNCTION wallet.lock_message(TEXT, TEXT) IS 'Locks a message''s source and id until the transaction ends.';

-- Returns the outcome of an archived message, by its number or by its source and source_event_id; null if it is not
-- archived.
CREATE OR REPLACE FUNCTION wallet.archived_event(p_inbox_id BIGINT, p_source TEXT, p_source_event_id TEXT)
RETURNS wallet.event_outcome LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome;
BEGIN
    IF p_inbox_id IS NULL THEN
        SELECT d.inbox_id, d.status, d.reason, TRUE INTO v_outcome FROM wallet.inbox_done AS d
        WHERE d.source = p_source AND d.source_event_id = p_source_event_id
        LIMIT 1;
    ELSE
        SELECT d.inbox_id, d.status, d.reason, TRUE INTO v_outcome FROM wallet.inbox_done AS d
        WHERE d.inbox_id = p_inbox_id
        LIMIT 1;
    END IF;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.archived_event(BIGINT, TEXT, TEXT) IS 'Returns the outcome of an archived message.';

-- Attempts to process a stored message: applies it (see wallet.try_event) and records the result, in one transaction.
-- Locks: the message's row, which the caller holds, then those of wallet.apply_event. Codes: no others.
CREATE OR REPLACE FUNCTION wallet.attempt_event(p_inbox_id BIGINT, p_event JSONB, p_answered BOOLEAN)
RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome := wallet.try_event(p_event, p_answered);
BEGIN
    IF p_event ? 'raw' THEN
        SELECT coalesce(i.reason, 'unreadable') INTO STRICT v_outcome.reason FROM wallet.inbox AS i
        WHERE i.inbox_id = p_inbox_id;
    END IF;
    RETURN wallet.mark_event(p_inbox_id, v_outcome.status, v_outcome.reason, p_event);
END;
$$;
COMMENT ON FUNCTION wallet.attempt_event(BIGINT, JSONB, BOOLEAN) IS
'Attempts to process a message: applies it and records the result, in one transaction.';

-- Applies a message if that is possible now, and returns its status and reason; the caller adds the number. On failure,
-- only this message is undone. The reason is the SQLSTATE with the error code or constraint name, never a value.
-- p_answered: whether p_event contains the store's answer. If not, a message with a question waits for the answer.
-- Errors that the message did not cause (no disk, no memory, a cancelled or broken connection) are raised.
-- Locks: those of wallet.apply_event. Codes: no others.
CREATE OR REPLACE FUNCTION wallet.try_event(p_event JSONB, p_answered BOOLEAN) RETURNS wallet.event_outcome
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome;
    v_state TEXT;
    v_code TEXT;
    v_constraint TEXT;
BEGIN
    IF p_event ? 'raw' THEN
        v_outcome.status := 'failed';
        RETURN v_outcome;
    ELSIF p_event ->> 'ignored' IS NOT NULL THEN
        v_outcome.status := 'ignored';
        v_outcome.reason := p_event ->> 'ignored';
        RETURN v_outcome;
    ELSIF
        NOT p_answered
        AND coalesce(p_event ->> 'question', p_event ->> 'consumption_request', p_event ->> 'refund_review') IS NOT NULL
    THEN
        v_outcome.status := 'new';
        RETURN v_outcome;
    END IF;
    BEGIN
        v_outcome.reason := wallet.apply_event(p_event);
        v_outcome.status := CASE WHEN v_outcome.reason IS NULL THEN 'processed' ELSE 'awaiting_user' END;
    EXCEPTION WHEN
        -- The wallet's own errors, and error classes caused by the message or by concurrency. Class 40 is a deadlock or
        -- serialization failure, class 55 a lock timeout.
        SQLSTATE 'WL000' OR cardinality_violation OR data_exception OR integrity_constraint_violation
        OR transaction_rollback OR syntax_error_or_access_rule_violation OR program_limit_exceeded
        OR object_not_in_prerequisite_state OR feature_not_supported OR plpgsql_error OR case_not_found
    THEN
        GET STACKED DIAGNOSTICS
            v_state = RETURNED_SQLSTATE, v_code = MESSAGE_TEXT, v_constraint = CONSTRAINT_NAME;
        v_outcome.status := 'failed';
        v_outcome.reason := concat_ws(
            ' ', v_state, CASE WHEN v_state LIKE 'WL%' THEN v_code ELSE nullif(v_constraint, '') END
        );
    END;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.try_event(JSONB, BOOLEAN) IS
'Applies a message if that is possible now, and returns the result.';

-- Applies a store's message: all its facts about purchases, and its transfer of subscriptions. Returns what the message
-- still waits for, or null. Facts that can be recorded are recorded either way.
-- Locks: see wallet.lock_for_facts if there are several purchases, otherwise wallet.apply_fact; then
-- wallet.apply_transfer.
-- Codes: WL422, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.apply_event(p_event JSONB) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_statements CONSTANT JSONB[] := ARRAY(
        SELECT s.value FROM jsonb_array_elements(coalesce(p_event -> 'statements', '[]')) AS s
    );
    v_statement JSONB;
    v_outcome wallet.fact_outcome;
    v_reason TEXT;
BEGIN
    IF cardinality(v_statements) > 1 THEN
        PERFORM wallet.lock_for_facts(
            ARRAY(
                SELECT wallet.account_for_owners(
                    ARRAY(SELECT jsonb_array_elements_text(coalesce(s.statement -> 'owners', '[]')))
                ) FROM unnest(v_statements) AS s (statement)
            ),
            ARRAY(SELECT s.statement -> 'fact' FROM unnest(v_statements) AS s (statement))
        );
    END IF;
    FOREACH v_statement IN ARRAY v_statements LOOP
        v_outcome := wallet.apply_statement(v_statement);
        -- IS NOT DISTINCT FROM, because PostgreSQL would evaluate the second condition for a missing reason, too.
        IF v_outcome.reason IS NOT DISTINCT FROM 'unknown-user' AND NOT wallet.names_deleted(v_statement) THEN
            v_reason := 'unknown-user';
        END IF;
    END LOOP;
    IF jsonb_typeof(p_event -> 'transfer') = 'object' THEN
        v_reason := coalesce(wallet.apply_transfer(p_event -> 'transfer'), v_reason);
    END IF;
    RETURN v_reason;
END;
$$;
COMMENT ON FUNCTION wallet.apply_event(JSONB) IS
'Applies a store''s message; returns what it still waits for, or null.';

-- Records the result of an attempt to process a message.
-- A processed or ignored message moves to inbox_done without personal text, and is dropped with its week. A failed one
-- is retried after 5 s, doubling up to an hour. After 20 failures in a row it is quarantined for an administrator, but
-- still retried every 6 hours, because the cause may disappear. A message that waits for a user (awaiting_user) is
-- retried after 5 s, doubling up to a day, without an end. An unreadable message is quarantined immediately and not
-- retried; see wallet.drop_quarantined for its end.
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
    IF p_status IN ('failed', 'awaiting_user') THEN
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

-- Returns the wait after a number of failed attempts: 5 seconds, doubling up to p_longest, randomly shortened by up to
-- a quarter, so that items that failed together are not retried together.
CREATE OR REPLACE FUNCTION wallet.retry_delay(p_attempts INTEGER, p_longest INTERVAL) RETURNS INTERVAL LANGUAGE sql
VOLATILE SET search_path = wallet, pg_temp AS $$
    SELECT least(INTERVAL '5 seconds' * power(2, least(greatest(p_attempts, 1), 30) - 1), p_longest)
        * (1 - random() / 4);
$$;
COMMENT ON FUNCTION wallet.retry_delay(INTEGER, INTERVAL) IS 'Returns the wait after a number of failed attempts.';

-- Moves a processed or ignored message from the inbox to inbox_done, under its own number and with the given payload.
-- Returns its outcome.
-- Locks: the message's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.archive_event(p_inbox_id BIGINT, p_status TEXT, p_reason TEXT, p_payload JSONB)
RETURNS wallet.event_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.event_outcome;
BEGIN
    WITH gone AS (
        DELETE FROM wallet.inbox AS i WHERE i.inbox_id = p_inbox_id RETURNING i.*
    )

    INSERT INTO wallet.inbox_done (
        inbox_id, source, source_event_id, type, payload, status, reason, attempts, received_at, processed_at
    )
    SELECT
        g.inbox_id, g.source, g.source_event_id, g.type, p_payload, p_status, p_reason, g.attempts, g.received_at,
        wallet.now()
    FROM gone AS g
    RETURNING inbox_id, status, reason, FALSE INTO v_outcome;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.archive_event(BIGINT, TEXT, TEXT, JSONB) IS
'Moves a processed or ignored message out of the inbox.';

-- Reduces a store's message to the data that may stay after processing: its type and, for each purchase, the store's
-- ids, products and times. The function keeps only listed members. It removes, for example, owners, account tokens,
-- purchase tokens, the copy of the app, and the users of a transfer.
CREATE OR REPLACE FUNCTION wallet.trim_event(p_event JSONB) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN jsonb_strip_nulls(jsonb_build_object(
        'source', p_event -> 'source',
        'id', p_event -> 'id',
        'type', p_event -> 'type',
        'ignored', p_event -> 'ignored',
        'consumption_request', p_event -> 'consumption_request',
        'statements', (
            SELECT jsonb_agg(jsonb_build_object('fact', (
                SELECT jsonb_object_agg(f.key, f.value) FROM jsonb_each(s.value -> 'fact') AS f (key, value)
                WHERE jsonb_typeof(f.value) NOT IN ('object', 'array') AND f.key IN (
                    'store', 'environment', 'transaction_id', 'original_transaction_id', 'line_item_id', 'order_id',
                    'store_product_id', 'kind', 'quantity', 'period_type', 'purchased_at', 'expires_at', 'pending',
                    'refunded_millionths', 'refunded_at', 'grace_ends_at', 'expired_at', 'occasion', 'source',
                    'source_at', 'billing_period', 'billing_periods'
                )
            )) ORDER BY s.place)
            FROM jsonb_array_elements(
                CASE jsonb_typeof(p_event -> 'statements') WHEN 'array' THEN p_event -> 'statements' END
            ) WITH ORDINALITY AS s (value, place)
            WHERE jsonb_typeof(s.value -> 'fact') = 'object'
        ),
        'transfer', CASE WHEN p_event ->> 'transfer' IS NOT NULL THEN jsonb_build_object(
            'environment', p_event -> 'transfer' -> 'environment', 'at', p_event -> 'transfer' -> 'at'
        ) END,
        'refund_review', CASE WHEN p_event ->> 'refund_review' IS NOT NULL THEN jsonb_build_object(
            'order_id', p_event -> 'refund_review' -> 'order_id'
        ) END,
        'question', CASE WHEN p_event ->> 'question' IS NOT NULL THEN jsonb_build_object(
            'kind', p_event -> 'question' -> 'kind', 'product_id', p_event -> 'question' -> 'product_id',
            'order_id', p_event -> 'question' -> 'order_id', 'at', p_event -> 'question' -> 'at'
        ) END
    ));
END;
$$;
COMMENT ON FUNCTION wallet.trim_event(JSONB) IS
'Returns the data of a store''s message that may stay after processing.';
