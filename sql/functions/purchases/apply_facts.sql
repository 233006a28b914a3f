-- Takes a group of store facts in order of arrival, each decided on its own and answered at its place. The arrays are
-- of one length: the user who submits, or null for the store's own report, with what the user's token says (see
-- wallet.caller_account); the statement, {"fact": …, "owners": …}.
-- What fails is undone alone and answers its SQLSTATE. No item waits for a lock longer than a moment, so a group that
-- already holds others cannot be part of a deadlock: what would have to wait is undone and answers 55P03, and so does
-- what comes after it about the same purchase. The caller takes these again, each alone.
-- Locks: item after item those of wallet.apply_fact, none for longer than a moment's wait. Codes: per item, in state
-- and message (see wallet.apply_fact, wallet.caller_account).
CREATE OR REPLACE FUNCTION wallet.apply_facts(
    p_submitters TEXT[],
    p_issued_times TIMESTAMPTZ[],
    p_anonymous BOOLEAN[],
    p_statements JSONB[]
) RETURNS SETOF wallet.fact_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_patience CONSTANT TEXT := current_setting('lock_timeout');
    v_left TEXT[] := '{}';
    v_names TEXT[];
    v_answer wallet.fact_answer;
BEGIN
    PERFORM set_config('lock_timeout', '10ms', TRUE);
    FOR v_item IN 1 .. cardinality(p_statements) LOOP
        v_answer := NULL;
        v_answer.item := v_item;
        v_names := wallet.fact_names(jsonb_build_object('statements', jsonb_build_array(p_statements[v_item])));
        IF v_names && v_left THEN
            v_answer.state := '55P03';
        ELSE
            BEGIN
                IF p_submitters[v_item] IS NULL THEN
                    v_answer.outcome := wallet.apply_statement(p_statements[v_item]);
                ELSE
                    v_answer.outcome := wallet.apply_fact(
                        wallet.caller_account(p_submitters[v_item], p_issued_times[v_item], p_anonymous[v_item]),
                        p_statements[v_item] -> 'fact'
                    );
                END IF;
            EXCEPTION WHEN
                -- As in wallet.attempt_event: what the item or the moment is to blame for.
                SQLSTATE 'WL000' OR cardinality_violation OR data_exception OR integrity_constraint_violation
                OR transaction_rollback OR syntax_error_or_access_rule_violation OR program_limit_exceeded
                OR object_not_in_prerequisite_state OR feature_not_supported OR plpgsql_error OR case_not_found
            THEN
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
COMMENT ON FUNCTION wallet.apply_facts(TEXT[], TIMESTAMPTZ[], BOOLEAN[], JSONB[]) IS
'Takes a group of store facts, each decided on its own.';
