-- Maintains the weekly partitions of wallet.outbox and wallet.inbox_done. It creates the first missing week, up to four
-- weeks ahead or for rows in the default partition. If none is missing, it drops the week that ended first, if that is
-- longer ago than p_keep. A null p_keep drops nothing.
-- It returns the number of created or dropped weeks: at most 1, so that each transaction is short, 0 if there is
-- nothing to do, and -1 if another transaction holds a lock that it needs. The caller repeats the call until the result
-- is not 1.
-- Both actions need an exclusive lock, and bookings queue behind it. So it waits for the lock at most 50 ms, less than
-- the deadlock timeout, and otherwise undoes everything. If the function is never called, events and messages go to the
-- default partition, and bookings are not affected. One caller runs at a time; a concurrent caller gets 0.
-- Locks: the cursor of the outbox, SKIP LOCKED, which excludes wallet.enqueue_deliveries; then see
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
'Creates the next missing week of the outbox or of processed messages, or drops the oldest unneeded one.';
