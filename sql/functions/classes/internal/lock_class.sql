-- Locks a class with its seats and returns its row after locking; a null row if the class does not exist. The lock
-- serializes operators' changes of a class and the settling of its bookings.
-- Locks: the class's row, then its seats by environment; a transaction that holds them locks no wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_class(p_class_id TEXT) RETURNS wallet.classes LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class wallet.classes;
BEGIN
    PERFORM FROM wallet.classes AS c WHERE c.class_id = p_class_id FOR NO KEY UPDATE;
    PERFORM FROM wallet.class_seats AS s WHERE s.class_id = p_class_id ORDER BY s.environment FOR UPDATE;
    SELECT c.* INTO v_class FROM wallet.classes AS c WHERE c.class_id = p_class_id;
    RETURN v_class;
END;
$$;
COMMENT ON FUNCTION wallet.lock_class(TEXT) IS 'Locks a class with its seats and returns its row after locking.';
