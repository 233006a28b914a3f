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
