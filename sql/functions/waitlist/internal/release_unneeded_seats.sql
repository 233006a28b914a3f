-- Releases the reserved seats of a class to all users if its waitlist is empty.
-- The caller holds the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.release_unneeded_seats(p_class_id TEXT, p_environment wallet.environment) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM wallet.waitlist AS w WHERE w.class_id = p_class_id AND w.environment = p_environment
    ) THEN
        PERFORM wallet.release_reserved_seats(p_class_id, p_environment);
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.release_unneeded_seats(TEXT, wallet.environment) IS
'Releases the reserved seats of a class to all users if its waitlist is empty.';
