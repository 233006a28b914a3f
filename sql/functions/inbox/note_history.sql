-- Notes that everything that a store had sent by an instant was received. An earlier instant than the one known changes
-- nothing, and none lies ahead.
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
'Notes that everything that a store had sent by an instant was received.';
