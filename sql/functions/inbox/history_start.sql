-- Returns from when on a store's history of its messages must be read: from where it was read to, else from when on the
-- store grants. The last message received proves nothing of those before it. Apple keeps 180 days.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.history_start(p_source TEXT, p_environment wallet.environment) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN least(greatest(coalesce((
        SELECT h.read_until FROM wallet.message_histories AS h
        WHERE h.source = p_source AND h.environment = p_environment
    ), (
        SELECT s.grants_from FROM wallet.stores AS s WHERE s.store = p_source
    )), wallet.now() - INTERVAL '179 days'), wallet.now());
END;
$$;
COMMENT ON FUNCTION wallet.history_start(TEXT, wallet.environment) IS
'From when on a store''s history of its messages must be read.';
