-- Processes up to p_limit cover checks of wallets whose unlimited plan may have ended, and returns how many it
-- processed. If a wallet has no live unlimited plan (a plan in its grace period is live), the upcoming bookings paid by
-- it are cancelled and their seats freed. If the renewal may only be reported late, this happens an hour later. If
-- another transaction holds the wallet, the check is left for the next call.
-- Locks: the checks and their free wallets (SKIP LOCKED), then the seats of those bookings' classes by (class,
-- environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.end_unlimited(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_check wallet.cover_checks;
    -- The checks are taken before the plans are read; a check inserted later is left for the next call.
    v_checks CONSTANT wallet.cover_checks[] := ARRAY(
        SELECT c FROM wallet.cover_checks AS c
        INNER JOIN wallet.wallets AS w ON c.account_id = w.account_id AND c.environment = w.environment
        WHERE c.due_at <= (SELECT wallet.now())
        ORDER BY c.account_id, c.environment, c.check_id
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    );
    v_bookings wallet.bookings[];
BEGIN
    -- An account without a wallet has no bookings.
    DELETE FROM wallet.cover_checks AS c WHERE NOT EXISTS (
        SELECT FROM wallet.wallets AS w WHERE w.account_id = c.account_id AND w.environment = c.environment
    );
    FOREACH v_check IN ARRAY v_checks LOOP
        DELETE FROM wallet.cover_checks AS c WHERE c.check_id = v_check.check_id;
        INSERT INTO wallet.cover_checks (account_id, environment, due_at)
        SELECT v_check.account_id, v_check.environment, a.until
        FROM (SELECT wallet.renewal_deadline(v_check.account_id, v_check.environment) AS until) AS a
        WHERE a.until IS NOT NULL;
    END LOOP;
    v_bookings := ARRAY(
        SELECT b FROM wallet.bookings AS b
        INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
        WHERE
            (b.account_id, b.environment) IN (SELECT u.account_id, u.environment FROM unnest(v_checks) AS u)
            AND b.cancelled_at IS NULL AND b.unit IS NULL AND c.starts_at > wallet.now()
            AND wallet.renewal_deadline(b.account_id, b.environment) IS NULL
            AND NOT EXISTS (
                SELECT FROM wallet.subscription_states AS s
                WHERE
                    s.account_id = b.account_id AND s.environment = b.environment AND s.unlimited AND s.has_access
            )
        ORDER BY b.class_id, b.environment, b.account_id
    );
    PERFORM FROM wallet.class_seats AS s
    WHERE (s.class_id, s.environment) IN (SELECT b.class_id, b.environment FROM unnest(v_bookings) AS b)
    ORDER BY s.class_id, s.environment
    FOR UPDATE;
    PERFORM FROM wallet.cancel_bookings(v_bookings, 'wallet');
    RETURN cardinality(v_checks);
END;
$$;
COMMENT ON FUNCTION wallet.end_unlimited(INTEGER) IS
'Cancels upcoming bookings of ended unlimited plans, and returns how many checks it processed.';
