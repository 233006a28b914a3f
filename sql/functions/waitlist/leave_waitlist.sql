-- Removes an account from the waitlist of a class. It does nothing if the account does not wait. If the member was
-- promoted meanwhile, the answer names the booking, which the member can cancel instead.
-- Locks: the account (a merge would move the entry), then the class's seats. Codes: WL401 unauthenticated, WL404
-- class-not-found, WL409 already-booked.
CREATE OR REPLACE FUNCTION wallet.leave_waitlist(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booked UUID;
BEGIN
    PERFORM FROM wallet.accounts AS a
    WHERE a.account_id = p_account_id AND a.deleted_at IS NULL AND a.merged_into IS NULL
    FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    END IF;
    PERFORM FROM wallet.class_seats AS s
    WHERE s.class_id = p_class_id AND s.environment = p_environment
    FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'class-not-found';
    END IF;
    DELETE FROM wallet.waitlist AS w
    WHERE w.class_id = p_class_id AND w.environment = p_environment AND w.account_id = p_account_id;
    IF FOUND THEN
        PERFORM wallet.release_unneeded_seats(p_class_id, p_environment);
        PERFORM wallet.emit(
            'waitlist.left', p_account_id, p_environment, p_details => jsonb_build_object('class_id', p_class_id)
        );
        RETURN;
    END IF;
    SELECT b.booking_id INTO v_booked FROM wallet.bookings AS b
    WHERE
        b.class_id = p_class_id AND b.environment = p_environment AND b.account_id = p_account_id
        AND b.cancelled_at IS NULL AND b.promoted;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'already-booked',
            DETAIL = jsonb_build_object('booking_id', v_booked)::TEXT;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.leave_waitlist(BIGINT, wallet.environment, TEXT) IS
'Removes an account from the waitlist of a class.';
