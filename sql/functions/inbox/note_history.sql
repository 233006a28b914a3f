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
