-- Removes up to p_limit messages that are done with and up to p_limit deliveries that were made, when that is longer
-- ago than p_keep; tells how many rows went. A message that a store sends again after that is applied again, which
-- changes nothing: facts are absolute. What is parked, failed or dead stays until somebody decides.
-- Called by: the retention worker. Locks: the rows that it removes, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.drop_old_events(p_keep INTERVAL, p_limit INTEGER) RETURNS INTEGER LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    -- Arrays, for a join would read all that is kept.
    WITH received AS (
        DELETE FROM wallet.inbox AS i WHERE i.inbox_id = ANY(ARRAY(
            SELECT o.inbox_id FROM wallet.inbox AS o
            WHERE o.status IN ('processed', 'ignored') AND o.processed_at < (SELECT wallet.now()) - p_keep
            ORDER BY o.processed_at
            LIMIT p_limit
            FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    ),

    delivered AS (
        DELETE FROM wallet.deliveries AS d WHERE d.event_id = ANY(ARRAY(
            SELECT o.event_id FROM wallet.deliveries AS o
            WHERE o.status = 'delivered' AND o.delivered_at < (SELECT wallet.now()) - p_keep
            ORDER BY o.delivered_at
            LIMIT p_limit
            FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    )

    SELECT ((SELECT count(*) FROM received) + (SELECT count(*) FROM delivered))::INTEGER;
$$;
COMMENT ON FUNCTION wallet.drop_old_events(INTERVAL, INTEGER) IS
'Removes old messages that are done with and old deliveries that were made.';
