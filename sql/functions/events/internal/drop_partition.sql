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
