-- Grants claims that waited for a product, when the product is added to the catalogue.
-- Locks: the waiting claims by id, then their owners' wallets in order. The statement excludes wallet.lock_catalogue,
-- so no other transaction is recording a claim of the product. Codes: none.
CREATE OR REPLACE FUNCTION wallet.grant_waiting() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_claim_ids BIGINT[];
    v_reason TEXT;
BEGIN
    v_claim_ids := ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c
        WHERE
            c.verdict = 'unknown-product' AND c.granted_at IS NULL AND c.account_id IS NOT NULL
            AND (
                c.store_product_id IN (NEW.app_store_id, NEW.play_store_id, NEW.revenuecat_id)
                OR c.store = 'play_store' AND split_part(c.store_product_id, ':', 1) = NEW.play_store_id
            )
        ORDER BY c.claim_id
        FOR NO KEY UPDATE
    );
    PERFORM wallet.lock_wallet(o.account_id, o.environment) FROM (
        SELECT DISTINCT c.account_id, c.environment FROM wallet.claims AS c
        WHERE c.claim_id = ANY(v_claim_ids)
        ORDER BY c.account_id, c.environment
    ) AS o;
    FOR v_claim IN
        SELECT c.* FROM wallet.claims AS c WHERE c.claim_id = ANY(v_claim_ids) ORDER BY c.claim_id
    LOOP
        v_reason := wallet.grant_refusal(v_claim, v_claim.account_id, v_claim.account_id);
        UPDATE wallet.claims AS c SET verdict = coalesce(v_reason, 'granted') WHERE c.claim_id = v_claim.claim_id;
        IF v_reason IS NULL THEN
            v_claim := wallet.sync_claim(v_claim.claim_id);
            PERFORM wallet.sync_subscription(v_claim.claim_id);
            PERFORM wallet.keep_released(v_claim);
        END IF;
    END LOOP;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.grant_waiting() IS
'Grants claims that waited for a product, when the product is added to the catalogue.';

DROP TRIGGER IF EXISTS products_grant_waiting ON wallet.products;
CREATE TRIGGER products_grant_waiting AFTER INSERT OR UPDATE ON wallet.products
FOR EACH ROW EXECUTE FUNCTION wallet.grant_waiting();
