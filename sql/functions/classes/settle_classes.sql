-- Applies the cancellation or move of a class to up to p_limit of its bookings, and returns how many it changed.
-- Returns 0 if there is nothing to do, or if all remaining bookings are locked. A class whose bookings are all locked
-- does not keep the next class from its turn.
-- Locks: an unsettled class that no other transaction settles, then see wallet.settle_class. Codes: none.
CREATE OR REPLACE FUNCTION wallet.settle_classes(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_class_id TEXT := '';
    v_settled INTEGER := 0;
BEGIN
    WHILE v_settled = 0 LOOP
        SELECT c.class_id INTO v_class_id FROM wallet.classes AS c
        WHERE NOT c.settled AND c.class_id > v_class_id
        ORDER BY c.class_id
        LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED;
        EXIT WHEN NOT FOUND;
        v_settled := wallet.settle_class(v_class_id, p_limit);
    END LOOP;
    RETURN v_settled;
END;
$$;
COMMENT ON FUNCTION wallet.settle_classes(INTEGER) IS
'Applies the cancellation or move of a class to its bookings, and returns how many it changed.';
