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
