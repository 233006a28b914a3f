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

-- Checks all invariants of up to p_limit queued accounts. A violation is stored until a later check no longer finds it.
-- Returns how many accounts it checked; 0 if none is queued.
-- Locks: the rows of its queue. Codes: none.
CREATE OR REPLACE FUNCTION wallet.check_changed_accounts(
    p_limit INTEGER
) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp SET jit = off AS $$
DECLARE
    v_account_ids BIGINT[];
BEGIN
    WITH taken AS (
        DELETE FROM wallet.look_queue AS q WHERE q.account_id IN (
            SELECT o.account_id FROM wallet.look_queue AS o ORDER BY o.account_id LIMIT p_limit FOR UPDATE SKIP LOCKED
        )
        RETURNING q.account_id
    )

    SELECT coalesce(array_agg(t.account_id), '{}') INTO v_account_ids FROM taken AS t;
    DELETE FROM wallet.findings AS f WHERE f.account_id = ANY(v_account_ids);
    INSERT INTO wallet.findings (name, environment, account_id, version, detail, found_at)
    SELECT v.name, v.environment, v.account_id, v.version, v.detail, wallet.now()
    FROM wallet.violations AS v
    WHERE v.account_id = ANY(v_account_ids);
    RETURN cardinality(v_account_ids);
END;
$$;
COMMENT ON FUNCTION wallet.check_changed_accounts(INTEGER) IS
'Checks the invariants of some changed accounts, and returns how many accounts it checked.';
