-- Archives up to p_limit quarantined messages that were received longer ago than p_keep, and returns how many. They
-- move, trimmed, to inbox_done as ignored, where they are dropped with their week. Until then an administrator may
-- replay them.
-- Locks: the messages, SKIP LOCKED. Codes: none.
-- Locks: the messages, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.drop_quarantined(p_keep INTERVAL, p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_message wallet.inbox;
    v_count INTEGER := 0;
BEGIN
    FOR v_message IN
        SELECT i.* FROM wallet.inbox AS i
        WHERE i.status = 'quarantined' AND i.received_at < (SELECT wallet.now()) - p_keep
        ORDER BY i.received_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM wallet.archive_event(
            v_message.inbox_id, 'ignored', left('given up: ' || v_message.reason, 200),
            wallet.trim_event(v_message.payload)
        );
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END;
$$;
COMMENT ON FUNCTION wallet.drop_quarantined(INTERVAL, INTEGER) IS
'Archives messages that have been quarantined for a long time.';
