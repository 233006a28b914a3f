-- Applies a batch of store reports and user submissions, facts and messages, in order of arrival. Each item is decided
-- separately, and each answer has the item's number. A fact that a user submits is applied by wallet.apply_fact,
-- another one by wallet.apply_statement. A message is applied by wallet.receive_event, or by wallet.process_event if it
-- is already stored.
-- If an item fails and the failure cannot be recorded on its message, the item alone is undone, and its answer contains
-- the SQLSTATE. Each item waits for a lock at most 10 ms, so a batch that already holds locks cannot cause a deadlock.
-- An item that would wait longer is undone and answered with 55P03, and so are later items about the same purchase. The
-- caller retries these, each alone.
-- Locks: for each item those of the functions above, with a short timeout. Codes: per item, in state and message (see
-- the functions above, and wallet.caller_account).
CREATE OR REPLACE FUNCTION wallet.apply_batch(p_requests wallet.store_request[])
RETURNS SETOF wallet.store_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_patience CONSTANT TEXT := current_setting('lock_timeout');
    v_left TEXT[] := '{}';
    v_request wallet.store_request;
    v_answer wallet.store_answer;
BEGIN
    PERFORM set_config('lock_timeout', '10ms', TRUE);
    FOR v_item IN 1 .. cardinality(p_requests) LOOP
        v_request := p_requests[v_item];
        v_answer := NULL;
        v_answer.item := v_item;
        -- The purchases of the item matter only if an earlier item was left for a retry.
        IF v_left <> '{}' AND wallet.request_names(v_request) && v_left THEN
            v_answer.state := '55P03';
        ELSE
            BEGIN
                IF v_request.statement IS NOT NULL AND v_request.submitter IS NULL THEN
                    v_answer.fact := wallet.apply_statement(v_request.statement);
                ELSIF v_request.statement IS NOT NULL THEN
                    v_answer.fact := wallet.apply_fact(
                        wallet.caller_account(
                            v_request.submitter, v_request.issued_at, v_request.is_anonymous, v_request.account_token
                        ),
                        v_request.statement -> 'fact'
                    );
                ELSIF v_request.inbox_id IS NULL THEN
                    v_answer.event := wallet.receive_event(
                        v_request.source, v_request.source_event_id, v_request.type, v_request.event
                    );
                ELSE
                    v_answer.event := wallet.process_event(v_request.inbox_id, v_request.event);
                END IF;
                -- A lock timeout or serialization failure is not an error of the message: alone, the item may wait.
                IF (v_answer.event).reason ~ '^(55P03|40...)' AND (v_answer.event).status = 'failed' THEN
                    RAISE EXCEPTION USING ERRCODE = '55P03', MESSAGE = 'left over';
                END IF;
            EXCEPTION WHEN
                -- As in wallet.try_event: errors caused by the item or by concurrency.
                SQLSTATE 'WL000' OR cardinality_violation OR data_exception OR integrity_constraint_violation
                OR transaction_rollback OR syntax_error_or_access_rule_violation OR program_limit_exceeded
                OR object_not_in_prerequisite_state OR feature_not_supported OR plpgsql_error OR case_not_found
            THEN
                v_answer.event := NULL;
                GET STACKED DIAGNOSTICS
                    v_answer.state = RETURNED_SQLSTATE, v_answer.message = MESSAGE_TEXT,
                    v_answer.detail = PG_EXCEPTION_DETAIL;
            END;
        END IF;
        IF v_answer.state NOT LIKE 'WL%' THEN
            v_left := v_left || wallet.request_names(v_request);
        END IF;
        RETURN NEXT v_answer;
    END LOOP;
    PERFORM set_config('lock_timeout', v_patience, TRUE);
END;
$$;
COMMENT ON FUNCTION wallet.apply_batch(wallet.store_request[]) IS
'Applies a batch of facts and messages, and decides each separately.';

-- Returns what an item of wallet.apply_batch is about: the ids of its purchases, and a message's own id.
CREATE OR REPLACE FUNCTION wallet.request_names(p_request wallet.store_request) RETURNS TEXT[] LANGUAGE plpgsql
IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_request.statement IS NULL THEN
        RETURN wallet.fact_names(p_request.event) || ('event ' || p_request.source_event_id);
    END IF;
    RETURN wallet.fact_names(jsonb_build_object('statements', jsonb_build_array(p_request.statement)));
END;
$$;
COMMENT ON FUNCTION wallet.request_names(wallet.store_request) IS
'Returns the ids of the purchases and the message of an item of wallet.apply_batch.';

-- Returns the ids of all purchases in a store's message. Two messages about one purchase share at least one id.
CREATE OR REPLACE FUNCTION wallet.fact_names(p_event JSONB) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT f.value #>> '{}' FROM jsonb_path_query(p_event, 'lax $.statements[*].fact') AS s (fact)
        CROSS JOIN LATERAL jsonb_each(CASE jsonb_typeof(s.fact) WHEN 'object' THEN s.fact END) AS f (key, value)
        WHERE
            jsonb_typeof(f.value) = 'string' AND f.key IN (
                'transaction_id', 'original_transaction_id', 'purchase_token', 'linked_purchase_token', 'order_id'
            )
        ORDER BY 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.fact_names(JSONB) IS 'Returns the ids of all purchases in a store''s message.';
