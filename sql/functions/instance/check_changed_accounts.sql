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
