-- Notifies the listeners of wallet_changes which wallets the outbox has changes of, each once as 'environment account',
-- and moves the cursor behind it; returns how many events it took. Like wallet.enqueue_deliveries it takes only what no
-- running transaction can still add to. Streams of balances read for themselves, so what is long past is not sent one
-- by one: on the first run, when more than ten times p_limit wait, and behind a cursor from another cluster (see
-- wallet.enqueue_deliveries), it jumps to the end and says '*', which is everybody.
-- One caller at a time; another gets 0.
-- Locks: the cursor, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.notify_changes(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_end CONSTANT XID8 := pg_snapshot_xmin(pg_current_snapshot());
    v_cursor wallet.notice_cursor;
    v_behind INTEGER;
    v_events wallet.outbox[];
BEGIN
    SELECT c.* INTO v_cursor FROM wallet.notice_cursor AS c;
    IF v_cursor.xid <= v_end AND NOT EXISTS (
        SELECT FROM wallet.outbox AS o
        WHERE (o.xid, o.event_id) > (v_cursor.xid, v_cursor.event_id) AND o.xid < v_end
    ) THEN
        -- Mostly there is nothing to send, and nothing to lock for it.
        RETURN 0;
    END IF;
    SELECT c.* INTO v_cursor FROM wallet.notice_cursor AS c FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR p_limit < 1 THEN
        RETURN 0;
    END IF;
    SELECT count(*) INTO STRICT v_behind FROM (
        SELECT FROM wallet.outbox AS o
        WHERE (o.xid, o.event_id) > (v_cursor.xid, v_cursor.event_id) AND o.xid < v_end
        LIMIT 10 * p_limit::BIGINT + 1
    ) AS n;
    IF v_behind > 10 * p_limit::BIGINT OR (v_behind > 0 AND v_cursor.xid = '0') OR v_cursor.xid > v_end THEN
        SELECT array_agg(l) INTO v_events FROM (
            SELECT o.* FROM wallet.outbox AS o WHERE o.xid < v_end
            ORDER BY o.xid DESC, o.event_id DESC
            LIMIT 1
        ) AS l;
        PERFORM pg_notify('wallet_changes', '*');
    ELSE
        v_events := ARRAY(
            SELECT o FROM wallet.outbox AS o
            WHERE (o.xid, o.event_id) > (v_cursor.xid, v_cursor.event_id) AND o.xid < v_end
            ORDER BY o.xid, o.event_id
            LIMIT p_limit
        );
        v_behind := cardinality(v_events);
        PERFORM pg_notify('wallet_changes', e.environment || ' ' || e.account_id)
        FROM unnest(v_events) AS e
        GROUP BY e.environment, e.account_id;
    END IF;
    UPDATE wallet.notice_cursor AS c SET
        xid = coalesce(v_events[cardinality(v_events)].xid, CASE WHEN c.xid > v_end THEN '0' ELSE c.xid END),
        event_id = coalesce(v_events[cardinality(v_events)].event_id, c.event_id);
    RETURN v_behind;
END;
$$;
COMMENT ON FUNCTION wallet.notify_changes(INTEGER) IS
'Notifies the listeners of wallet_changes which wallets have changed; returns how many events it took.';
