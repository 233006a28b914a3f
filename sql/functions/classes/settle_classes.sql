-- Lets the cancellation or the move of a class reach up to p_limit of its bookings, and returns how many it reached; 0
-- when there is nothing to do, or nothing to be had right now. A class whose bookings are all held by somebody does not
-- keep the next from its turn.
-- Locks: an unsettled class that nobody else settles, then see wallet.settle_class. Codes: none.
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
'Lets the cancellation or the move of a class reach its bookings, and returns how many it reached.';
