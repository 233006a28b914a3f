-- Returns the members of a booking.* event; wallet.event_body lists them. If the booking's account was merged, the
-- booking is found under the other account.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.event_booking(p_event wallet.outbox) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'booking_id', b.booking_id,
        'class_id', b.class_id,
        'class_title', c.title,
        'starts_at', wallet.rfc3339(c.starts_at),
        'seats', b.seats,
        'unit', b.unit,
        'amount', b.amount
    ) || CASE WHEN p_event.type = 'booking.cancelled' THEN jsonb_build_object(
        'cancelled_at', wallet.rfc3339(b.cancelled_at),
        'cancelled_by', b.cancelled_by,
        'late_cancel', b.cancelled_by = 'user' AND b.cancelled_at > b.free_until,
        'returned', b.returned
    ) ELSE '{}' END
    FROM wallet.accounts AS a
    INNER JOIN wallet.bookings AS b
        ON b.account_id IN (a.account_id, a.merged_into) AND b.booking_id = p_event.booking_id
    INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
    WHERE a.account_id = p_event.account_id;
$$;
COMMENT ON FUNCTION wallet.event_booking(wallet.outbox) IS 'Returns the members of a booking.* event.';
