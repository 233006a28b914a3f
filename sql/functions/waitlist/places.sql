-- Removes an account from the waitlist of a class, if it is on it. If the waitlist is then empty, the reserved seats
-- are released.
-- The caller holds the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.stop_waiting(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    DELETE FROM wallet.waitlist AS w
    WHERE w.class_id = p_class_id AND w.environment = p_environment AND w.account_id = p_account_id;
    PERFORM wallet.release_unneeded_seats(p_class_id, p_environment);
END;
$$;
COMMENT ON FUNCTION wallet.stop_waiting(BIGINT, wallet.environment, TEXT) IS
'Removes an account from the waitlist of a class.';

-- Removes all members from the waitlist of a class, and notifies each.
-- The caller holds the seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.close_waitlist(p_class_id TEXT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.emit(
        'waitlist.removed', w.account_id, w.environment, p_details => jsonb_build_object('class_id', w.class_id)
    )
    FROM wallet.waitlist AS w
    WHERE w.class_id = p_class_id
    ORDER BY w.entry_id;
    DELETE FROM wallet.waitlist AS w WHERE w.class_id = p_class_id;
    PERFORM wallet.release_reserved_seats(s.class_id, s.environment)
    FROM wallet.class_seats AS s
    WHERE s.class_id = p_class_id;
END;
$$;
COMMENT ON FUNCTION wallet.close_waitlist(TEXT) IS
'Removes all members from the waitlist of a class, and notifies each.';

-- Moves the waitlist entries of one account to another. If both accounts wait for a class, the earlier entry stays with
-- its request. An account that has booked a class does not wait for it.
-- Locks: no others; the caller holds the seats. Codes: none.
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
        PERFORM wallet.emit(
            'waitlist.left', p_to, v_gone.environment, p_details => jsonb_build_object('class_id', v_gone.class_id)
        );
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.merge_waiting(BIGINT, BIGINT) IS 'Moves the waitlist entries of one account to another.';
