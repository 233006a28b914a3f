-- Keeps the catalogue unchanged until the transaction ends, so that a transaction that adds a missing product sees the
-- claim of it. It never waits, because a transaction that adds a product may need the claim that the caller holds. It
-- uses an advisory lock: VACUUM and ANALYZE also take the table's lock and would cause purchases to be refused while
-- they run.
-- Locks: the catalogue against changes (see wallet.change_catalogue). Codes: WL503 wallet-busy while another
-- transaction changes a product.
CREATE OR REPLACE FUNCTION wallet.lock_catalogue() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('wallet.products', 0)) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.lock_catalogue() IS 'Keeps the catalogue unchanged until the transaction ends.';
