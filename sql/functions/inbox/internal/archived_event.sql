-- Returns the outcome of an archived message, by its number or by its source and source_event_id; null if it is not
-- archived.
-- Locks: none. Codes: none.
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
