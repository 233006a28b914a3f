-- Cancels in full the bookings of an account whose class another has booked, too: one person needs the class once. Of
-- a class that has begun nothing returns, or two people could come for the price of one.
-- The caller holds the wallets and the classes' seats. Locks: none of its own. Codes: WL503 wallet-busy, when a lot
-- that paid is in another wallet that somebody holds.
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
'Cancels in full the bookings of an account whose class another has booked, too.';
