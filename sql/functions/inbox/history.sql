-- Returns the time from which a store's message history must be read: the end of the last read, otherwise the time from
-- which the store grants. The last message received does not prove that earlier ones arrived. Apple keeps 180 days.
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
'Returns the time from which a store''s message history must be read.';

-- Records that all messages that a store had sent by p_until were received. An earlier time than the recorded one
-- changes nothing, and a future time is reduced to now.
-- Locks: the store's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.note_history(
    p_source TEXT, p_environment wallet.environment, p_until TIMESTAMPTZ
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    INSERT INTO wallet.message_histories AS h (source, environment, read_until)
    VALUES (p_source, p_environment, least(p_until, wallet.now()))
    ON CONFLICT (source, environment) DO UPDATE SET read_until = greatest(h.read_until, excluded.read_until);
END;
$$;
COMMENT ON FUNCTION wallet.note_history(TEXT, wallet.environment, TIMESTAMPTZ) IS
'Records that all messages that a store had sent by a time were received.';
