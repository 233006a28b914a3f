-- Creates or changes a product, for example through the view admin.products. Lots already sold keep their terms, and
-- purchases that waited for the product are granted. If the terms change, the answer includes how often the old terms
-- were granted, as far as the daily sums have been computed.
-- Locks: the catalogue against claims of missing products, the product, then see wallet.grant_waiting. Codes: WL409
-- product-kind-fixed, WL409 store-id-taken.
CREATE OR REPLACE FUNCTION wallet.change_product(p_new wallet.products, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old wallet.products;
    v_before JSONB;
    v_after JSONB := to_jsonb(p_new) - 'created_at';
    v_taken_by TEXT;
BEGIN
    -- This lock comes before the product's: a claim that locks the catalogue may need to read the product.
    LOCK TABLE wallet.products IN ROW EXCLUSIVE MODE;
    SELECT p.* INTO v_old FROM wallet.products AS p WHERE p.product_id = p_new.product_id FOR UPDATE;
    IF FOUND AND (v_old.kind, v_old.unit) IS DISTINCT FROM (p_new.kind, p_new.unit) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-kind-fixed',
            DETAIL = jsonb_build_object('kind', v_old.kind, 'unit', v_old.unit)::TEXT;
    END IF;
    SELECT min(p.product_id) INTO v_taken_by FROM wallet.products AS p
    WHERE
        p.product_id <> p_new.product_id AND (
            p.app_store_id = p_new.app_store_id OR p.play_store_id = p_new.play_store_id
            OR p.revenuecat_id = p_new.revenuecat_id
        );
    IF v_taken_by IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'store-id-taken',
            DETAIL = jsonb_build_object('product_id', v_taken_by)::TEXT;
    END IF;
    PERFORM wallet.write_product(p_new);
    v_before := CASE WHEN v_old.product_id IS NULL THEN '{}' ELSE to_jsonb(v_old) - 'created_at' END;
    IF v_before <> v_after THEN
        SELECT v_after || jsonb_build_object('granted_under_old_terms', sum(s.entries)) INTO v_after
        FROM wallet.daily_sums AS s
        WHERE s.product_id = p_new.product_id AND s.environment = 'production' AND s.kind = 'grant';
    END IF;
    RETURN wallet.record_action(
        p_note, 'put-product', 'product', p_new.product_id, v_before, v_after
    );
END;
$$;
COMMENT ON FUNCTION wallet.change_product(wallet.products, wallet.action_note) IS 'Creates or changes a product.';
