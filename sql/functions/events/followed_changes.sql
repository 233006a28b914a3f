-- Returns which of the wallets that a service instance follows have changed, each once: those with an event since
-- p_since, and both wallets of an account that was deleted or merged. Like wallet.enqueue_deliveries, it reads only
-- transactions older than every running one.
-- p_since: the "until" of the previous answer; null the first time.
-- The answer's "until" is the point up to which it has read. If is_complete is false, the caller must reload all
-- wallets that it follows: the first time, after more than p_limit events, and if p_since is from another cluster (see
-- wallet.enqueue_deliveries).
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.followed_changes(p_account_ids BIGINT[], p_since XID8, p_limit INTEGER)
RETURNS wallet.followed_changes LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_until CONSTANT XID8 := pg_snapshot_xmin(pg_current_snapshot());
    v_changes wallet.followed_changes := ROW(v_until, FALSE, '{}', '{}');
BEGIN
    IF p_since IS NULL OR p_since > v_until OR p_limit < (
        SELECT count(*) FROM (
            SELECT FROM wallet.outbox AS o WHERE o.xid >= p_since AND o.xid < v_until LIMIT p_limit::BIGINT + 1
        ) AS n
    ) THEN
        RETURN v_changes;
    END IF;
    SELECT v_until, TRUE, coalesce(array_agg(c.account_id), '{}'), coalesce(array_agg(c.environment::TEXT), '{}')
    INTO STRICT v_changes
    FROM (
        SELECT o.account_id, o.environment FROM wallet.outbox AS o
        INNER JOIN unnest(p_account_ids) AS f (account_id) ON o.account_id = f.account_id
        WHERE o.xid >= p_since AND o.xid < v_until
        UNION
        SELECT a.account_id, e.environment FROM unnest(p_account_ids) AS f (account_id)
        INNER JOIN wallet.accounts AS a ON f.account_id = a.account_id
        CROSS JOIN unnest(enum_range(NULL::wallet.environment)) AS e (environment)
        WHERE a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL
    ) AS c;
    RETURN v_changes;
END;
$$;
COMMENT ON FUNCTION wallet.followed_changes(BIGINT[], XID8, INTEGER) IS
'Returns which of the wallets that a service instance follows have changed since its previous call.';
