-- Holds a message's name until the transaction ends, so that one delivery of it comes after the other: what is done
-- with at once has no row in wallet.inbox that could be waited for.
-- Locks: the name. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_message(p_source TEXT, p_source_event_id TEXT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.inbox ' || p_source || ' ' || p_source_event_id, 0));
END;
$$;
COMMENT ON FUNCTION wallet.lock_message(TEXT, TEXT) IS 'Holds a message''s name until the transaction ends.';
