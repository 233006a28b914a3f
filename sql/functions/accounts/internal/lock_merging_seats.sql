-- Locks, in one statement and one order, the seats of every class that merging two accounts may change: classes that
-- the first account has booked, for which the second may be joining the waitlist, and classes for which either account
-- waits. The caller holds both accounts and their wallets.
-- Locks: class seats in order of (class, environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_merging_seats(p_from BIGINT, p_to BIGINT) RETURNS VOID LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT FROM wallet.class_seats AS s
    WHERE (s.class_id, s.environment) IN (
        SELECT w.class_id, w.environment FROM wallet.waitlist AS w WHERE w.account_id IN (p_from, p_to)
        UNION ALL
        SELECT b.class_id, b.environment FROM wallet.bookings AS b
        WHERE b.account_id = p_from AND b.cancelled_at IS NULL
    )
    ORDER BY s.class_id, s.environment
    FOR UPDATE OF s;
$$;
COMMENT ON FUNCTION wallet.lock_merging_seats(BIGINT, BIGINT) IS
'Locks the seats of every class that merging two accounts may change.';
