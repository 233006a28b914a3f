-- Leases up to p_limit messages that are due. The lease lasts a minute; then another instance may take them. It skips
-- rows that another transaction holds, so any number of instances share the work.
-- Locks: due messages, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.due_events(p_limit INTEGER) RETURNS SETOF wallet.due_event LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH due AS (
        SELECT i.inbox_id FROM wallet.inbox AS i
        WHERE i.next_attempt_at <= (SELECT wallet.now())
        ORDER BY i.next_attempt_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    ),

    leased AS (
        UPDATE wallet.inbox AS i SET next_attempt_at = (SELECT wallet.now()) + INTERVAL '60 seconds'
        FROM due AS d
        WHERE i.inbox_id = d.inbox_id
        RETURNING i.inbox_id, i.source, i.source_event_id, i.type, i.payload
    )

    SELECT l.inbox_id, l.source, l.source_event_id, l.type, l.payload FROM leased AS l ORDER BY l.inbox_id;
$$;
COMMENT ON FUNCTION wallet.due_events(INTEGER) IS 'Leases messages that are due, for a minute.';
