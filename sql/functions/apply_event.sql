-- Applies a store's message: everything that it says of purchases, and the subscriptions that it moves. Says what must
-- be waited for, null when nothing must; what could be recorded is recorded either way.
-- Called by: wallet.receive_event, wallet.process_event. Locks: see wallet.apply_fact. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.apply_event(p_event JSONB) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_statement JSONB;
    v_outcome wallet.fact_outcome;
    v_reason TEXT;
BEGIN
    FOR v_statement IN SELECT s.value FROM jsonb_array_elements(coalesce(p_event -> 'statements', '[]')) AS s LOOP
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
'Applies a store''s message; tells what must be waited for, null for nothing.';
