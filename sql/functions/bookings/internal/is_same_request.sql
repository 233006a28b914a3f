-- Returns whether an item repeats an earlier request, identified by its key or by a cancelled booking. A cancellation
-- always does. A booking does if it has the same class, seats and payment options.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.is_same_request(p_item wallet.batch_item) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN p_item.operation = 'cancel' OR EXISTS (
        SELECT FROM wallet.bookings AS b
        WHERE
            b.account_id = p_item.account_id AND b.booking_id = p_item.known_id
            AND (b.class_id, b.seats) = (p_item.class_id, p_item.seats)
            AND b.asked_pay_with IS NOT DISTINCT FROM p_item.pay_with
            AND b.asked_max_amount IS NOT DISTINCT FROM p_item.max_amount
    );
END;
$$;
COMMENT ON FUNCTION wallet.is_same_request(wallet.batch_item) IS
'Returns whether an item repeats the earlier request that has its key or cancelled its booking.';
