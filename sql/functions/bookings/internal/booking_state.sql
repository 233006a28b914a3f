-- Returns a booking with the sums of its wallet, as the audit records them before and after an action.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.booking_state(p_account_id BIGINT, p_booking_id UUID) RETURNS JSONB LANGUAGE sql
STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT wallet.wallet_state(b.account_id, b.environment) || jsonb_build_object(
        'status', b.status, 'cancelled_by', b.cancelled_by, 'late_cancel', b.late_cancel, 'returned', b.returned
    )
    FROM wallet.booking_details AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
$$;
COMMENT ON FUNCTION wallet.booking_state(BIGINT, UUID) IS
'Returns a booking with the sums of its wallet, for the audit.';
