-- Enables a store from an instant on; what it sold before is recorded, not granted. The first instant given stays.
-- After an import it is the import's cut-over at least.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.enable_store(p_store TEXT, p_grants_from TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    INSERT INTO wallet.stores (store, grants_from) VALUES (p_store, p_grants_from) ON CONFLICT (store) DO NOTHING;
    RETURN (SELECT s.grants_from FROM wallet.stores AS s WHERE s.store = p_store);
END;
$$;
COMMENT ON FUNCTION wallet.enable_store(TEXT, TIMESTAMPTZ) IS
'Enables a store from an instant on and returns the instant in force, which the first call decides.';
