-- The outbox of a test, included after books.sql. All events of one transaction have the same xid, so committed() gives
-- them an old one: then the cursor sees each event in the order of its id.
CREATE FUNCTION pg_temp.committed() RETURNS void LANGUAGE sql AS $$
    UPDATE wallet.outbox AS o SET xid = '5' WHERE o.xid = pg_current_xact_id();
$$;

-- The newest event's body without its id.
CREATE FUNCTION pg_temp.newest() RETURNS jsonb LANGUAGE sql AS $$
    SELECT wallet.event_body(o) #- '{data,event_id}' FROM wallet.outbox AS o ORDER BY o.event_id DESC LIMIT 1;
$$;

-- 'status attempts error', and the seconds until it is sent.
CREATE FUNCTION pg_temp.delivery(p_event_id bigint) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', d.status, d.attempts, d.last_error,
        CASE WHEN d.status = 'pending' THEN 'in ' || extract(EPOCH FROM d.next_attempt_at - wallet.now())::integer END
    ) FROM wallet.deliveries AS d WHERE d.event_id = p_event_id;
$$;

CREATE FUNCTION pg_temp.event_of(p_type text) RETURNS bigint LANGUAGE sql AS $$
    SELECT o.event_id FROM wallet.outbox AS o WHERE o.type = p_type ORDER BY o.event_id DESC LIMIT 1;
$$;
