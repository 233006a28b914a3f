-- Removes up to p_limit deliveries that were made, when that is longer ago than p_keep; returns how many rows went.
-- What is dead stays until somebody decides. Events and messages go by the week, see wallet.keep_partitions.
-- Locks: the rows that it removes, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.drop_old_events(p_keep INTERVAL, p_limit INTEGER) RETURNS INTEGER LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    -- An array, for a join would read all that is kept.
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
COMMENT ON FUNCTION wallet.drop_old_events(INTERVAL, INTEGER) IS
'Removes old deliveries that were made.';
