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

-- Creates the partition of wallet.outbox or wallet.inbox_done for the week that starts at p_from. Rows of that week in
-- the default partition move into it: most of them while other sessions write, the last ones under the lock, so that no
-- reader misses a row. The statements are built with format(), because the partition's name is not known in advance.
-- Locks: the table (SHARE UPDATE EXCLUSIVE, which allows writes), then its default partition (ACCESS EXCLUSIVE). Codes:
-- none.
CREATE OR REPLACE FUNCTION wallet.make_partition(p_table TEXT, p_from TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_name CONSTANT TEXT := p_table || to_char(p_from AT TIME ZONE 'UTC', '_YYYYMMDD');
    v_key CONSTANT TEXT := CASE p_table WHEN 'outbox' THEN 'at' WHEN 'inbox_done' THEN 'processed_at' END;
    v_to CONSTANT TIMESTAMPTZ := p_from + INTERVAL '168 hours';
    v_move CONSTANT TEXT := format(
        'WITH gone AS (DELETE FROM wallet.%1$I AS r WHERE r.%3$I >= $1 AND r.%3$I < $2 RETURNING r.*)'
        ' INSERT INTO wallet.%2$I SELECT g.* FROM gone AS g', p_table || '_rest', v_name, v_key
    );
BEGIN
    -- Rows here are never updated, and the partition is dropped as a whole, so vacuum has nothing to do.
    EXECUTE format(
        'CREATE TABLE wallet.%I (LIKE wallet.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)'
        ' WITH (autovacuum_vacuum_insert_threshold = -1)', v_name, p_table
    );
    EXECUTE format('LOCK TABLE wallet.%I IN SHARE UPDATE EXCLUSIVE MODE', p_table);
    EXECUTE v_move USING p_from, v_to;
    EXECUTE format('LOCK TABLE wallet.%I IN ACCESS EXCLUSIVE MODE', p_table || '_rest');
    EXECUTE v_move USING p_from, v_to;
    EXECUTE format(
        'ALTER TABLE wallet.%I ATTACH PARTITION wallet.%I FOR VALUES FROM (%L) TO (%L)', p_table, v_name, p_from, v_to
    );
END;
$$;
COMMENT ON FUNCTION wallet.make_partition(TEXT, TIMESTAMPTZ) IS
'Creates the partition of one week, with the rows of that week from the default partition.';

-- Drops a week of wallet.outbox or wallet.inbox_done unless it is still needed, and returns whether it did. An event is
-- needed until it is queued and delivered. A dead event, and its week, stays until an administrator resends it. If no
-- event was ever queued, there is no endpoint and no event is needed. Balance streams read events themselves
-- (wallet.followed_changes), so they do not keep a week.
-- The check runs again after locking, because an administrator may resend an event until the lock is held. The
-- statements are built with format(), because the partition's name is not known in advance.
-- The caller holds the cursor of the outbox. Locks: the table, then the partition and the rest (ACCESS EXCLUSIVE).
-- Codes: none.
CREATE OR REPLACE FUNCTION wallet.drop_partition(p_name TEXT) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_week wallet.time_partitions;
    v_cursor wallet.outbox_cursor;
    v_is_waiting BOOLEAN := FALSE;
BEGIN
    SELECT p.* INTO STRICT v_week FROM wallet.time_partitions AS p WHERE p.name = p_name;
    SELECT c.* INTO STRICT v_cursor FROM wallet.outbox_cursor AS c;
    FOR v_look IN 1 .. 2 LOOP
        IF v_week.table_name = 'outbox' AND v_cursor.xid > '0' THEN
            EXECUTE format(
                'SELECT (o.xid, o.event_id) > ($1, $2) FROM wallet.%I AS o ORDER BY o.xid DESC, o.event_id DESC LIMIT 1',
                p_name
            ) INTO v_is_waiting USING v_cursor.xid, v_cursor.event_id;
        END IF;
        IF v_week.table_name = 'outbox' AND (v_is_waiting OR EXISTS (
            SELECT FROM wallet.deliveries AS d
            WHERE d.status = 'dead' AND d.event_at >= v_week.from_at AND d.event_at < v_week.to_at
        ) OR EXISTS (
            SELECT FROM wallet.deliveries AS d
            WHERE d.status = 'pending' AND d.event_at >= v_week.from_at AND d.event_at < v_week.to_at
        )) THEN
            RETURN FALSE;
        END IF;
        EXECUTE format('LOCK TABLE ONLY wallet.%I IN ACCESS EXCLUSIVE MODE', v_week.table_name);
    END LOOP;
    EXECUTE format('DROP TABLE wallet.%I', p_name);
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.drop_partition(TEXT) IS 'Drops one week of events or messages that is no longer needed.';
