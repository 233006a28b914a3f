-- Keeps the catalogue as it is until the transaction ends, so that a claim of a product that it lacks is there for
-- whoever adds the product. It never waits: whoever is adding one may need the claim that the caller holds.
-- Locks: the products against changes. Codes: WL503 wallet-busy while somebody changes one.
CREATE OR REPLACE FUNCTION wallet.hold_catalogue() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    LOCK TABLE wallet.products IN SHARE MODE NOWAIT;
EXCEPTION WHEN lock_not_available THEN
    RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
END;
$$;
COMMENT ON FUNCTION wallet.hold_catalogue() IS 'Keeps the catalogue as it is until the transaction ends.';
