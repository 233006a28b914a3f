-- Gives the seats that are held for the waitlist to anybody.
-- The caller holds the class's seats. Locks: none of its own. Codes: none.
CREATE OR REPLACE FUNCTION wallet.release_held(p_class_id TEXT, p_environment wallet.environment) RETURNS VOID
LANGUAGE sql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.class_seats AS s SET held = 0
    WHERE s.class_id = p_class_id AND s.environment = p_environment AND s.held > 0;
$$;
COMMENT ON FUNCTION wallet.release_held(TEXT, wallet.environment) IS
'Gives the seats that are held for the waitlist to anybody.';
