-- Queues the accounts to check: those whose wallets or lots any role has written since the previous call, and those
-- with findings. Checks the seats that were written immediately. Returns how many accounts are queued.
-- It finds changed rows by the transaction that wrote them; the next call reads transactions that are still running
-- now. It reads wallets, lots and seats, but no entries.
-- Locks: its cursor, so that two instances take turns. Codes: none.
CREATE OR REPLACE FUNCTION wallet.note_changes() RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp SET jit = off AS $$
DECLARE
    v_snapshot CONSTANT PG_SNAPSHOT := pg_current_snapshot();
    v_since XID8;
    v_age BIGINT;
    v_all BOOLEAN;
    v_classes TEXT[];
BEGIN
    SELECT c.xid INTO STRICT v_since FROM wallet.look_cursor AS c FOR UPDATE;
    -- Transaction ids wrap around, and they start over in a restored database.
    v_age := pg_snapshot_xmax(v_snapshot)::TEXT::BIGINT - v_since::TEXT::BIGINT;
    v_all := v_age NOT BETWEEN 0 AND 2000000000;
    INSERT INTO wallet.look_queue (account_id)
    SELECT w.account_id FROM wallet.wallets AS w WHERE v_all OR age(w.xmin) <= v_age
    UNION
    SELECT l.account_id FROM wallet.lots AS l WHERE v_all OR age(l.xmin) <= v_age
    UNION
    SELECT f.account_id FROM wallet.findings AS f WHERE f.account_id IS NOT NULL
    ON CONFLICT DO NOTHING;
    v_classes := ARRAY(
        SELECT s.class_id FROM wallet.class_seats AS s WHERE v_all OR age(s.xmin) <= v_age
        UNION
        SELECT f.class_id FROM wallet.findings AS f WHERE f.class_id IS NOT NULL
    );
    DELETE FROM wallet.findings AS f WHERE f.class_id IS NOT NULL;
    INSERT INTO wallet.findings (name, environment, class_id, detail, found_at)
    SELECT 'seats', v.environment, v.class_id, v.detail, wallet.now()
    FROM unnest(v_classes) AS c (class_id)
    CROSS JOIN LATERAL (
        SELECT s.* FROM wallet.broken_seats AS s WHERE s.class_id = c.class_id AND s.account_id IS NULL
    ) AS v;
    UPDATE wallet.look_cursor AS c SET xid = pg_snapshot_xmin(v_snapshot);
    RETURN (SELECT count(*) FROM wallet.look_queue);
END;
$$;
COMMENT ON FUNCTION wallet.note_changes() IS
'Queues the accounts that changed since the previous call, and returns how many are queued.';
