-- Runs before a statement changes products. It waits for transactions that record a purchase of a product missing from
-- the catalogue (see wallet.lock_catalogue), so that wallet.grant_waiting sees the purchase.
-- Locks: the catalogue, until the transaction ends. Codes: none.
CREATE OR REPLACE FUNCTION wallet.change_catalogue() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('wallet.products', 0));
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.change_catalogue() IS
'Waits for transactions that record a purchase of a product missing from the catalogue.';

DROP TRIGGER IF EXISTS products_change ON wallet.products;
CREATE TRIGGER products_change BEFORE INSERT OR UPDATE ON wallet.products
FOR EACH STATEMENT EXECUTE FUNCTION wallet.change_catalogue();
