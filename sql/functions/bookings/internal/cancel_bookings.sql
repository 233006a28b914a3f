-- Cancels bookings for the studio, the wallet or the user, and returns one answer for each.
-- p_by: 'user', 'studio' or 'wallet' (see wallet.decide_cancellation).
-- The caller holds the wallets and the seats. Locks: see wallet.decide_batch. Codes: in the answers.
CREATE OR REPLACE FUNCTION wallet.cancel_bookings(p_bookings wallet.bookings[], p_by TEXT)
RETURNS SETOF wallet.booking_outcome LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT d.* FROM wallet.decide_batch(ARRAY(
        SELECT ROW(
            b.account_id, b.environment, 'cancel', b.booking_id, NULL, NULL, NULL, NULL, NULL
        )::wallet.booking_request
        FROM unnest(p_bookings) AS b
    ), p_by, TRUE) AS d;
$$;
COMMENT ON FUNCTION wallet.cancel_bookings(wallet.bookings[], TEXT) IS
'Cancels bookings for the studio, the wallet or the user.';
