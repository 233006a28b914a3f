-- Takes a group of verified messages in order of arrival, each on its own: what wallet.receive_event does, or
-- wallet.process_event where p_inbox_ids names a message that is stored already. The arrays are of one length. Messages
-- are stored for good when this commits. What fails beyond being marked is undone alone and answers its SQLSTATE. No
-- item waits for a lock longer than a moment, so a group that already holds others cannot be part of a deadlock: what
-- would have to wait is undone and answers 55P03, and so does what comes after it about the same purchase. The caller
-- takes these again, each alone.
-- Locks: item after item those of wallet.receive_event, none for longer than a moment's wait. Codes: per item, in state
-- and message (see wallet.receive_event, wallet.process_event).
CREATE OR REPLACE FUNCTION wallet.process_event_batch(
    p_inbox_ids BIGINT[],
    p_sources TEXT[],
    p_source_event_ids TEXT[],
    p_types TEXT[],
    p_events JSONB[]
) RETURNS SETOF wallet.event_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_patience CONSTANT TEXT := current_setting('lock_timeout');
    v_left TEXT[] := '{}';
    v_names TEXT[];
    v_answer wallet.event_answer;
BEGIN
    PERFORM set_config('lock_timeout', '10ms', TRUE);
    FOR v_item IN 1 .. cardinality(p_events) LOOP
        v_answer := NULL;
        v_answer.item := v_item;
        v_names := wallet.fact_names(p_events[v_item]) || ('event ' || p_source_event_ids[v_item]);
        IF v_names && v_left THEN
            v_answer.state := '55P03';
        ELSE
            BEGIN
                IF p_inbox_ids[v_item] IS NULL THEN
                    v_answer.outcome := wallet.receive_event(
                        p_sources[v_item], p_source_event_ids[v_item], p_types[v_item], p_events[v_item]
                    );
                ELSE
                    v_answer.outcome := wallet.process_event(p_inbox_ids[v_item], p_events[v_item]);
                END IF;
                -- A lock or a race that was lost is no failure of the message: alone it may wait.
                IF (v_answer.outcome).reason ~ '^(55P03|40...)' AND (v_answer.outcome).status = 'failed' THEN
                    RAISE EXCEPTION USING ERRCODE = '55P03', MESSAGE = 'left over';
                END IF;
            EXCEPTION WHEN
                -- As in wallet.attempt_event: what the item or the moment is to blame for.
                SQLSTATE 'WL000' OR cardinality_violation OR data_exception OR integrity_constraint_violation
                OR transaction_rollback OR syntax_error_or_access_rule_violation OR program_limit_exceeded
                OR object_not_in_prerequisite_state OR feature_not_supported OR plpgsql_error OR case_not_found
            THEN
                v_answer.outcome := NULL;
                GET STACKED DIAGNOSTICS
                    v_answer.state = RETURNED_SQLSTATE, v_answer.message = MESSAGE_TEXT,
                    v_answer.detail = PG_EXCEPTION_DETAIL;
            END;
        END IF;
        IF v_answer.state NOT LIKE 'WL%' THEN
            v_left := v_left || v_names;
        END IF;
        RETURN NEXT v_answer;
    END LOOP;
    PERFORM set_config('lock_timeout', v_patience, TRUE);
END;
$$;
COMMENT ON FUNCTION wallet.process_event_batch(BIGINT[], TEXT[], TEXT[], TEXT[], JSONB[]) IS
'Takes a group of verified messages of the stores, each on its own.';
