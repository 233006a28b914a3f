-- Locks a message's source and id until the transaction ends, so that concurrent deliveries of it run one after the
-- other. A message that is processed at once has no row in wallet.inbox to lock.
-- Locks: an advisory lock on source and id. Codes: none.
CREATE OR REPLACE FUNCTION wallet.lock_message(p_source TEXT, p_source_event_id TEXT) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.inbox ' || p_source || ' ' || p_source_event_id, 0));
END;
$$;
COMMENT ON FUNCTION wallet.lock_message(TEXT, TEXT) IS 'Locks a message''s source and id until the transaction ends.';
