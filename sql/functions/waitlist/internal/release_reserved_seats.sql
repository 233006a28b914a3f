-- Releases the seats reserved for the waitlist to all users.
-- The caller holds the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.release_reserved_seats(p_class_id TEXT, p_environment wallet.environment) RETURNS VOID
LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.class_seats AS s SET reserved = 0
    WHERE s.class_id = p_class_id AND s.environment = p_environment AND s.reserved > 0;
$$;
COMMENT ON FUNCTION wallet.release_reserved_seats(TEXT, wallet.environment) IS
'Releases the seats reserved for the waitlist to all users.';
