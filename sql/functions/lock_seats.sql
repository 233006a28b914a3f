-- Locks the seat counts that a group's items will change, in one order. Classes that do not exist are passed over.
-- Called by: wallet.book_batch, after its wallets. Locks: class seats in order of (class, environment). Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_seats(
    p_account_ids BIGINT[],
    p_environments wallet.environment[],
    p_operations TEXT[],
    p_booking_ids UUID[],
    p_class_ids TEXT[]
) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT FROM wallet.class_seats AS s
    WHERE (s.class_id, s.environment) IN (
        SELECT coalesce(b.class_id, i.class_id), i.environment
        FROM unnest(p_account_ids, p_environments, p_operations, p_booking_ids, p_class_ids)
            AS i (account_id, environment, operation, booking_id, class_id)
        LEFT JOIN wallet.bookings AS b
            ON i.operation = 'cancel' AND b.account_id = i.account_id AND b.booking_id = i.booking_id
        WHERE i.operation <> 'quote'
    )
    ORDER BY s.class_id, s.environment
    FOR UPDATE OF s;
$$;
COMMENT ON FUNCTION wallet.lock_seats(BIGINT[], wallet.environment[], TEXT[], UUID[], TEXT[]) IS
'Locks the seat counts that a group''s items will change, in one order.';
