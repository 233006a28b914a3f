-- Deletes up to p_limit deliveries that succeeded longer ago than p_keep, and returns how many rows it deleted. Dead
-- deliveries stay until an administrator resends them. Events and messages are dropped by the week, see
-- wallet.keep_partitions.
-- Locks: the rows that it deletes, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.drop_old_events(p_keep INTERVAL, p_limit INTEGER) RETURNS INTEGER LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    -- This uses an array because a join would read all remaining rows.
    WITH delivered AS (
        DELETE FROM wallet.deliveries AS d WHERE d.event_id = ANY(ARRAY(
            SELECT o.event_id FROM wallet.deliveries AS o
            WHERE o.status = 'delivered' AND o.delivered_at < (SELECT wallet.now()) - p_keep
            ORDER BY o.delivered_at
            LIMIT p_limit
            FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    )

    SELECT count(*)::INTEGER FROM delivered;
$$;
COMMENT ON FUNCTION wallet.drop_old_events(INTERVAL, INTEGER) IS 'Deletes old successful deliveries.';
