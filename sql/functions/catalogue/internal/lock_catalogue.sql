-- Keeps the catalogue as it is until the transaction ends, so that a claim of a product that it lacks is there for
-- the transaction that adds the product. It never waits: one that is adding a product may need the claim that the
-- caller holds. The lock is not the table's own, which VACUUM and ANALYZE take as well and which would refuse purchases
-- while they run.
-- Locks: the catalogue against changes (see wallet.change_catalogue). Codes: WL503 wallet-busy while somebody changes a
-- product.
CREATE OR REPLACE FUNCTION wallet.lock_catalogue() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('wallet.products', 0)) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.lock_catalogue() IS 'Keeps the catalogue as it is until the transaction ends.';
