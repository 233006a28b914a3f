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
        IF v_outcome.reason = 'unknown-user' AND NOT wallet.names_deleted(v_statement) THEN
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
