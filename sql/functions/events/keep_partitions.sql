-- Keeps the weeks of wallet.outbox and wallet.inbox_done: makes the one that is missing first, up to four weeks ahead
-- or for what the rest holds, else drops the one that ended first, when that is longer ago than p_keep. Returns how
-- many it made or dropped, which is at most one, so that each is a short transaction; 0 when there is nothing to do, -1
-- when somebody was in the way. To be called until it does no more. A null p_keep drops nothing. Both need a lock that
-- nobody else holds, and bookings meanwhile wait behind it: so it is waited for 50 ms at most, before a deadlock is
-- looked for, and then all is undone. When nobody calls it, events and messages lie in the rest, and bookings notice
-- nothing. One caller at a time; another gets 0.
-- Locks: the cursor of the outbox, SKIP LOCKED, which keeps wallet.enqueue_deliveries out; then see
-- wallet.make_partition and wallet.drop_partition. Codes: none.
CREATE OR REPLACE FUNCTION wallet.keep_partitions(p_keep INTERVAL) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_waits CONSTANT TEXT := current_setting('lock_timeout');
    v_week CONSTANT TIMESTAMPTZ := date_trunc('week', wallet.now(), 'UTC');
    v_next RECORD;
    v_done INTEGER := 0;
BEGIN
    PERFORM FROM wallet.outbox_cursor AS c FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    PERFORM set_config('lock_timeout', '50ms', TRUE);
    SELECT t.name, w.from_at INTO v_next
    FROM (
        SELECT 'outbox' AS name, min(o.at) AS stray_at FROM wallet.outbox_rest AS o
        UNION ALL SELECT 'inbox_done', min(i.processed_at) FROM wallet.inbox_done_rest AS i
    ) AS t
    CROSS JOIN LATERAL (
        SELECT date_trunc('week', t.stray_at, 'UTC') AS from_at WHERE t.stray_at IS NOT NULL
        UNION ALL SELECT v_week + n.n * INTERVAL '168 hours' FROM generate_series(0, 4) AS n
    ) AS w
    WHERE NOT EXISTS (
        SELECT FROM wallet.time_partitions AS p
        WHERE p.table_name = t.name AND w.from_at >= p.from_at AND w.from_at < p.to_at
    )
    ORDER BY w.from_at, t.name
    LIMIT 1;
    IF FOUND THEN
        PERFORM wallet.make_partition(v_next.name, v_next.from_at);
        v_done := 1;
    ELSE
        FOR v_next IN
            SELECT p.name FROM wallet.time_partitions AS p
            WHERE p.table_name IN ('outbox', 'inbox_done') AND p.to_at <= wallet.now() - p_keep
            ORDER BY p.to_at, p.name
        LOOP
            v_done := wallet.drop_partition(v_next.name)::INTEGER;
            EXIT WHEN v_done > 0;
        END LOOP;
    END IF;
    PERFORM set_config('lock_timeout', v_waits, TRUE);
    RETURN v_done;
EXCEPTION WHEN lock_not_available THEN
    RETURN -1;
END;
$$;
COMMENT ON FUNCTION wallet.keep_partitions(INTERVAL) IS
'Makes the next missing week of the outbox and of processed messages, or drops the oldest that is done with.';
