-- Cancels in full the bookings of an account whose class another has booked, too: one person needs the class once. Of
-- a class that has begun nothing returns, or two people could come for the price of one.
-- The caller holds the wallets and the classes' seats. Locks: none of its own. Codes: WL503 wallet-busy, when a lot
-- that paid is in another wallet that somebody holds.
CREATE OR REPLACE FUNCTION wallet.cancel_doubles(p_from BIGINT, p_to BIGINT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_double RECORD;
    v_outcome wallet.booking_outcome;
BEGIN
    FOR v_double IN
        SELECT b.environment, b.booking_id FROM wallet.bookings AS b
        INNER JOIN wallet.bookings AS o
            ON b.class_id = o.class_id AND b.environment = o.environment AND o.account_id = p_to AND o.status = 'booked'
        WHERE b.account_id = p_from AND b.status = 'booked'
        ORDER BY b.class_id, b.environment
    LOOP
        v_outcome := wallet.cancel_one(p_from, v_double.environment, v_double.booking_id, 'wallet');
        IF v_outcome.status = 503 THEN
            RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = v_outcome.slug;
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.cancel_doubles(BIGINT, BIGINT) IS
'Cancels in full the bookings of an account whose class another has booked, too.';
