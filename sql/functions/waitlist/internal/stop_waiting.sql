-- Removes an account from the waitlist of a class, if it is on it. If the waitlist is then empty, the reserved seats
-- are released.
-- The caller holds the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.stop_waiting(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    DELETE FROM wallet.waitlist AS w
    WHERE w.class_id = p_class_id AND w.environment = p_environment AND w.account_id = p_account_id;
    PERFORM wallet.release_unneeded_seats(p_class_id, p_environment);
END;
$$;
COMMENT ON FUNCTION wallet.stop_waiting(BIGINT, wallet.environment, TEXT) IS
'Removes an account from the waitlist of a class.';
