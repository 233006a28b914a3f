-- Returns the lots that paid for a booking, in the order of its entries. Each part names the account that holds the lot
-- now.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.booking_slices(p_booking wallet.bookings) RETURNS wallet.owned_slice[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(
            ROW(wallet.lot_owner(e.account_id, e.lot_id), e.lot_id, -e.amount)::wallet.owned_slice ORDER BY e.version
        ), '{}')
        FROM wallet.entries AS e
        WHERE
            e.account_id = coalesce(p_booking.ledger_account_id, p_booking.account_id)
            AND e.environment = p_booking.environment AND e.lot_id IS NOT NULL
            AND e.version BETWEEN p_booking.first_version AND p_booking.first_version + p_booking.entry_count - 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.booking_slices(wallet.bookings) IS
'Returns the lots that paid for a booking, and the accounts that hold them now.';
