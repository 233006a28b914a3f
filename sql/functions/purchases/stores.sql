-- Enables a store from a given time. Earlier purchases are recorded but not granted. If the store is already enabled,
-- its time stays. After an import, the time is at least the import's cut-over.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.enable_store(p_store TEXT, p_grants_from TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    INSERT INTO wallet.stores (store, grants_from) VALUES (p_store, p_grants_from) ON CONFLICT (store) DO NOTHING;
    RETURN (SELECT s.grants_from FROM wallet.stores AS s WHERE s.store = p_store);
END;
$$;
COMMENT ON FUNCTION wallet.enable_store(TEXT, TIMESTAMPTZ) IS
'Enables a store from a given time and returns the time in effect, which the first call decides.';

-- Sets who gets credits for purchases in the stores' test environments: accept (everybody), testers (users in
-- admin.testers) or refuse (nobody). Refused purchases are recorded.
-- Locks: the instance row if the value changes. Codes: none.
CREATE OR REPLACE FUNCTION wallet.set_sandbox_purchases(p_mode TEXT) RETURNS VOID LANGUAGE sql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.instance AS i SET sandbox_purchases = p_mode
    WHERE i.only_row AND i.sandbox_purchases <> p_mode;
$$;
COMMENT ON FUNCTION wallet.set_sandbox_purchases(TEXT) IS
'Sets who gets credits for purchases in the stores'' test environments.';

-- Records that the wallet has acknowledged a purchase to its store.
-- Locks: the claim's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.acknowledge_claim(p_claim_id BIGINT) RETURNS VOID LANGUAGE sql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.claims AS c SET needs_acknowledgement = FALSE WHERE c.claim_id = p_claim_id;
$$;
COMMENT ON FUNCTION wallet.acknowledge_claim(BIGINT) IS
'Records that the wallet has acknowledged a purchase to its store.';
