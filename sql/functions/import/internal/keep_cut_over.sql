-- Moves grants_from of a store that is enabled after an import to the import's cut-over, so that older purchases grant
-- nothing.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.keep_cut_over() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NEW.grants_from IS NOT NULL THEN
        NEW.grants_from := (SELECT greatest(NEW.grants_from, i.cut_over) FROM wallet.instance AS i);
    END IF;
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.keep_cut_over() IS
'Keeps a store that is enabled after an import from granting purchases from before its cut-over.';

DROP TRIGGER IF EXISTS stores_keep_cut_over ON wallet.stores;
CREATE TRIGGER stores_keep_cut_over BEFORE INSERT ON wallet.stores
FOR EACH ROW EXECUTE FUNCTION wallet.keep_cut_over();
