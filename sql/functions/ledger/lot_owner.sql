-- Returns the account that holds a lot now. Lots follow their purchase when it is restored or its account is merged.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lot_owner(p_account_id BIGINT, p_lot_id UUID) RETURNS BIGINT LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_owner BIGINT := p_account_id;
    v_next BIGINT;
    v_seen BIGINT[] := '{}';
BEGIN
    LOOP
        SELECT l.moved_to INTO v_next FROM wallet.lots AS l WHERE l.account_id = v_owner AND l.lot_id = p_lot_id;
        -- The check stops at a cycle, which only tampering can create.
        EXIT WHEN v_next IS NULL OR v_next = ANY(v_seen);
        v_seen := v_seen || v_owner;
        v_owner := v_next;
    END LOOP;
    RETURN v_owner;
END;
$$;
COMMENT ON FUNCTION wallet.lot_owner(BIGINT, UUID) IS 'Returns the account that holds a lot now.';
