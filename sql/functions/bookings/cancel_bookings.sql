-- Cancels bookings for the studio, the wallet or the user, and returns one answer for each.
-- p_by: 'user', 'studio' or 'wallet' (see wallet.decide_cancellation).
-- The caller holds the wallets and the seats. Locks: see wallet.decide_batch. Codes: in the answers.
CREATE OR REPLACE FUNCTION wallet.cancel_bookings(p_bookings wallet.bookings[], p_by TEXT)
RETURNS SETOF wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking wallet.bookings;
    v_request wallet.booking_request;
    v_requests wallet.booking_request[] := '{}';
BEGIN
    v_request.operation := 'cancel';
    FOREACH v_booking IN ARRAY p_bookings LOOP
        v_request.account_id := v_booking.account_id;
        v_request.environment := v_booking.environment;
        v_request.booking_id := v_booking.booking_id;
        v_requests := v_requests || v_request;
    END LOOP;
    RETURN QUERY SELECT d.* FROM wallet.decide_batch(v_requests, p_by, TRUE) AS d;
END;
$$;
COMMENT ON FUNCTION wallet.cancel_bookings(wallet.bookings[], TEXT) IS
'Cancels bookings for the studio, the wallet or the user.';

-- Cancels an account's bookings of classes that have not begun, by the user's policy: late cancellations return
-- nothing. It also removes the account from all waitlists.
-- The caller holds the wallets. Locks: the seats of all these classes, in order. Codes: WL503 wallet-busy (another
-- transaction holds the wallet of a lot that paid).
CREATE OR REPLACE FUNCTION wallet.cancel_upcoming(p_account_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_place wallet.waitlist;
BEGIN
    PERFORM FROM wallet.class_seats AS s
    WHERE (s.class_id, s.environment) IN (
        SELECT b.class_id, b.environment FROM wallet.bookings AS b
        WHERE b.account_id = p_account_id AND b.cancelled_at IS NULL
        UNION ALL
        SELECT w.class_id, w.environment FROM wallet.waitlist AS w WHERE w.account_id = p_account_id
    )
    ORDER BY s.class_id, s.environment
    FOR UPDATE;
    FOR v_place IN
        DELETE FROM wallet.waitlist AS w WHERE w.account_id = p_account_id RETURNING w.*
    LOOP
        PERFORM wallet.release_unneeded_seats(v_place.class_id, v_place.environment);
        PERFORM wallet.emit(
            'waitlist.left', p_account_id, v_place.environment,
            p_details => jsonb_build_object('class_id', v_place.class_id)
        );
    END LOOP;
    IF EXISTS (
        SELECT FROM wallet.cancel_bookings(ARRAY(
            SELECT b FROM wallet.bookings AS b
            WHERE b.account_id = p_account_id AND b.cancelled_at IS NULL
            ORDER BY b.booking_id
        ), 'user') AS o
        WHERE o.status = 503
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.cancel_upcoming(BIGINT) IS
'Cancels an account''s upcoming bookings by the user''s policy, and removes the account from all waitlists.';

-- Cancels the first account's bookings of classes that the second account has booked too, because one person needs a
-- class once. They return in full. If the class has begun, nothing returns; otherwise two people could attend for the
-- price of one.
-- The caller holds the wallets and the classes' seats. Locks: no others. Codes: WL503 wallet-busy (another transaction
-- holds the wallet of a lot that paid).
CREATE OR REPLACE FUNCTION wallet.cancel_duplicate_bookings(p_from BIGINT, p_to BIGINT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM wallet.cancel_bookings(ARRAY(
            SELECT b FROM wallet.bookings AS b
            INNER JOIN wallet.bookings AS o
                ON
                    b.class_id = o.class_id AND b.environment = o.environment AND o.account_id = p_to
                    AND o.cancelled_at IS NULL
            WHERE b.account_id = p_from AND b.cancelled_at IS NULL
            ORDER BY b.class_id, b.environment
        ), 'wallet') AS c
        WHERE c.status = 503
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.cancel_duplicate_bookings(BIGINT, BIGINT) IS
'Cancels the first account''s bookings of classes that the second account has booked too.';
