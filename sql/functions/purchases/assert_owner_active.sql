-- Refuses a claim for an account that was merged into another meanwhile; on retry, the caller finds the other account.
-- It waits for a merge in progress.
-- Locks: the account, against merging. Codes: WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.assert_owner_active() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM FROM wallet.accounts AS a
    WHERE a.account_id = NEW.account_id AND a.merged_into IS NULL
    FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.assert_owner_active() IS
'Refuses a claim for an account that was merged into another meanwhile.';

DROP TRIGGER IF EXISTS claims_assert_owner_active ON wallet.claims;
CREATE TRIGGER claims_assert_owner_active AFTER INSERT ON wallet.claims
FOR EACH ROW WHEN (new.account_id IS NOT NULL) EXECUTE FUNCTION wallet.assert_owner_active();
-- A claim that keeps its owner must not lock the account, because the wallet is already locked at this point. For
-- example, this happens when a claim's product is added to the catalogue.
DROP TRIGGER IF EXISTS claims_assert_new_owner_active ON wallet.claims;
CREATE TRIGGER claims_assert_new_owner_active AFTER UPDATE OF account_id ON wallet.claims
FOR EACH ROW WHEN (new.account_id IS NOT NULL AND new.account_id IS DISTINCT FROM old.account_id)
EXECUTE FUNCTION wallet.assert_owner_active();
