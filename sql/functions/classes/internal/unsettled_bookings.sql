-- Returns the bookings of a class to which its cancellation or last move has not been applied yet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.unsettled_bookings(p_class_id TEXT) RETURNS SETOF wallet.bookings
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT b.* FROM wallet.bookings AS b
    INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
    WHERE
        b.class_id = p_class_id AND b.cancelled_at IS NULL
        AND (c.status = 'cancelled' OR greatest(b.moves_seen, b.moves_notified) < c.moves);
$$;
COMMENT ON FUNCTION wallet.unsettled_bookings(TEXT) IS
'Returns the bookings of a class to which its cancellation or last move has not been applied yet.';
