-- Stores the users that a waiting message names, so that it is found when such a user is first seen or deleted.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.note_names() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    NEW.names := wallet.event_names(NEW.payload);
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.note_names() IS 'Stores the users that a waiting message names.';

DROP TRIGGER IF EXISTS inbox_names ON wallet.inbox;
CREATE TRIGGER inbox_names BEFORE INSERT OR UPDATE OF payload ON wallet.inbox
FOR EACH ROW EXECUTE FUNCTION wallet.note_names();
