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
