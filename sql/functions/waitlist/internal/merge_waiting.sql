-- Moves the waitlist entries of one account to another. If both accounts wait for a class, the earlier entry stays with
-- its request. An account that has booked a class does not wait for it.
-- Locks: no others (see wallet.lock_merging_seats). Codes: none.
CREATE OR REPLACE FUNCTION wallet.merge_waiting(p_from BIGINT, p_to BIGINT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_gone RECORD;
BEGIN
    DELETE FROM wallet.waitlist AS w USING wallet.waitlist AS o
    WHERE
        w.account_id IN (p_from, p_to) AND o.account_id IN (p_from, p_to) AND w.class_id = o.class_id
        AND w.environment = o.environment AND w.entry_id > o.entry_id;
    UPDATE wallet.waitlist AS w SET account_id = p_to WHERE w.account_id = p_from;
    FOR v_gone IN
        DELETE FROM wallet.waitlist AS w USING wallet.bookings AS b
        WHERE
            w.account_id = p_to AND b.account_id = p_to AND b.class_id = w.class_id
            AND b.environment = w.environment AND b.cancelled_at IS NULL
        RETURNING w.class_id, w.environment
    LOOP
        PERFORM wallet.release_unneeded_seats(v_gone.class_id, v_gone.environment);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.merge_waiting(BIGINT, BIGINT) IS 'Moves the waitlist entries of one account to another.';
