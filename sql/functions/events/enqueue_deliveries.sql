-- Queues up to p_limit new events of the outbox for delivery, in the order (xid, event_id), moves the cursor past them,
-- and returns how many it queued. Event ids alone are not enough, because an event may commit after one with a higher
-- id. No event can appear any longer below the oldest running transaction, so the function reads only those.
-- One caller runs at a time; a concurrent caller gets 0. A transaction that stays open anywhere in the cluster delays
-- events, but loses none.
-- A database that was dumped and restored into a younger cluster contains transaction ids from that cluster's future,
-- which would delay every event for years. The function then raises WL500. Repair it once with
--   UPDATE wallet.outbox SET xid = '3'; UPDATE wallet.outbox_cursor SET xid = '3', event_id = LAST;
-- where LAST is the highest event_id of wallet.deliveries.
-- Locks: the cursor, SKIP LOCKED. Codes: WL500 outbox-of-another-cluster.
CREATE OR REPLACE FUNCTION wallet.enqueue_deliveries(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_cursor wallet.outbox_cursor;
    v_taken INTEGER;
BEGIN
    SELECT c.* INTO v_cursor FROM wallet.outbox_cursor AS c FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0;
    ELSIF v_cursor.xid >= pg_snapshot_xmax(pg_current_snapshot()) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL500', MESSAGE = 'outbox-of-another-cluster',
            HINT = 'See sql/functions/events/enqueue_deliveries.sql.';
    END IF;
    WITH taken AS (
        SELECT o.xid, o.event_id, o.at FROM wallet.outbox AS o
        WHERE
            (o.xid, o.event_id) > (v_cursor.xid, v_cursor.event_id)
            AND o.xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY o.xid, o.event_id
        LIMIT p_limit
    ),

    added AS (
        INSERT INTO wallet.deliveries (event_id, event_at, next_attempt_at)
        SELECT t.event_id, t.at, wallet.now() FROM taken AS t
        -- An administrator may have sent the event earlier.
        ON CONFLICT (event_id) DO NOTHING
    ),

    moved AS (
        UPDATE wallet.outbox_cursor AS c SET xid = t.xid, event_id = t.event_id
        FROM (SELECT n.xid, n.event_id FROM taken AS n ORDER BY n.xid DESC, n.event_id DESC LIMIT 1) AS t
    )

    SELECT count(*) INTO STRICT v_taken FROM taken;
    RETURN v_taken;
END;
$$;
COMMENT ON FUNCTION wallet.enqueue_deliveries(INTEGER) IS 'Queues new events of the outbox for delivery.';
