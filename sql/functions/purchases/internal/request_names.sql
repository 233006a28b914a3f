-- Returns what an item of wallet.apply_batch is about: the ids of its purchases, and a message's own id.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.request_names(p_request wallet.store_request) RETURNS TEXT[] LANGUAGE plpgsql
IMMUTABLE SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_request.statement IS NULL THEN
        RETURN wallet.fact_names(p_request.event) || ('event ' || p_request.source_event_id);
    END IF;
    RETURN wallet.fact_names(jsonb_build_object('statements', jsonb_build_array(p_request.statement)));
END;
$$;
COMMENT ON FUNCTION wallet.request_names(wallet.store_request) IS
'Returns the ids of the purchases and the message of an item of wallet.apply_batch.';
