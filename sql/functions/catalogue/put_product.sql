-- Makes or changes a product for an operator, once per key, as the view admin.products does: what was sold stays as it
-- was sold, and purchases that waited for the product are granted.
-- p_definition: the columns of wallet.products by name; what is absent or null is as for a new product, and what is not
-- known is ignored.
-- Locks: the operator's key, the catalogue against claims of products that it lacks, the product, then see
-- wallet.grant_waiting. Codes: WL403 right-missing, WL409 product-kind-fixed, WL409 store-id-taken, WL422
-- idempotency-key-reused.
CREATE OR REPLACE FUNCTION wallet.put_product(
    p_product_id TEXT,
    p_definition JSONB,
    p_actor TEXT,
    p_key TEXT,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_new CONSTANT wallet.products := jsonb_populate_record(NULL::wallet.products, '{
        "description": "", "amount": 0, "bonus": 0, "currency": "USD", "is_active": true, "is_popular": false,
        "display_order": 0, "grace_days": 7, "tier": 0, "entitlements": [], "unlimited": false, "trial_amount": 0,
        "rollover_percentage": 0, "grant_source": "purchase"
    }' || jsonb_strip_nulls(p_definition) || jsonb_build_object('product_id', p_product_id));
    v_old wallet.products;
    v_taken_by TEXT;
BEGIN
    PERFORM wallet.check_right('put-product', p_right);
    IF wallet.operator_replays(p_actor, p_key, 'put-product', jsonb_strip_nulls(to_jsonb(v_new))) THEN
        RETURN;
    END IF;
    -- Before the product: a claim that keeps the catalogue as it is may have to look at the product.
    LOCK TABLE wallet.products IN ROW EXCLUSIVE MODE;
    SELECT p.* INTO v_old FROM wallet.products AS p WHERE p.product_id = p_product_id FOR UPDATE;
    IF FOUND AND (v_old.kind, v_old.unit) IS DISTINCT FROM (v_new.kind, v_new.unit) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-kind-fixed',
            DETAIL = jsonb_build_object('kind', v_old.kind, 'unit', v_old.unit)::TEXT;
    END IF;
    SELECT p.product_id INTO v_taken_by FROM wallet.products AS p
    WHERE
        p.product_id <> p_product_id AND (
            p.app_store_id = v_new.app_store_id OR p.play_store_id = v_new.play_store_id
            OR p.revenuecat_id = v_new.revenuecat_id
        )
    ORDER BY p.product_id
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'store-id-taken',
            DETAIL = jsonb_build_object('product_id', v_taken_by)::TEXT;
    END IF;
    PERFORM wallet.write_product(v_new);
    PERFORM wallet.record_action(
        ROW(p_actor, NULL, NULL, NULL)::wallet.action_note,
        CASE WHEN v_old.product_id IS NULL THEN 'add-product' ELSE 'change-product' END, 'product', p_product_id,
        CASE WHEN v_old.product_id IS NULL THEN '{}' ELSE to_jsonb(v_old) - 'created_at' END,
        to_jsonb(v_new) - 'created_at'
    );
END;
$$;
COMMENT ON FUNCTION wallet.put_product(TEXT, JSONB, TEXT, TEXT, wallet.operator_right) IS
'Makes or changes a product for an operator.';
