-- Leases up to p_limit events that are due at the endpoint, each with the id and the body to send and sign. The lease
-- lasts a minute; then another instance may take the events. The id never changes, so a receiver recognizes duplicates.
-- Locks: due deliveries, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.due_deliveries(p_limit INTEGER) RETURNS SETOF wallet.due_delivery LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH due AS (
        SELECT d.event_id FROM wallet.deliveries AS d
        WHERE d.status = 'pending' AND d.next_attempt_at <= (SELECT wallet.now())
        ORDER BY d.next_attempt_at, d.event_id
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    ),

    leased AS (
        UPDATE wallet.deliveries AS d SET next_attempt_at = (SELECT wallet.now()) + INTERVAL '60 seconds'
        FROM due AS n
        WHERE d.event_id = n.event_id
        RETURNING d.event_id, d.event_at, d.attempts
    )

    SELECT l.event_id, 'evt_' || l.event_id, wallet.event_body(o)::TEXT, l.attempts, o.account_id
    FROM leased AS l
    INNER JOIN wallet.outbox AS o ON l.event_at = o.at AND l.event_id = o.event_id
    ORDER BY l.event_id;
$$;
COMMENT ON FUNCTION wallet.due_deliveries(INTEGER) IS 'Leases events that are due at the endpoint, for a minute.';
