-- Creates or changes a product for an operator, once per key: see wallet.change_product.
-- p_definition: an object with the column names of wallet.products. A missing or null column gets the default of a new
-- product, and unknown names are ignored.
-- Locks: the operator's key, then see wallet.change_product. Codes: WL403 right-missing, WL422 idempotency-key-reused;
-- see wallet.change_product.
CREATE OR REPLACE FUNCTION wallet.put_product(
    p_product_id TEXT,
    p_definition JSONB,
    p_actor TEXT,
    p_key TEXT,
    p_right wallet.operator_right DEFAULT 'admin'
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_new CONSTANT wallet.products := wallet.new_product(p_product_id, p_definition);
BEGIN
    PERFORM wallet.check_right('put-product', p_right);
    IF wallet.operator_replays(p_actor, p_key, 'put-product', jsonb_strip_nulls(to_jsonb(v_new))) THEN
        RETURN;
    END IF;
    PERFORM wallet.change_product(v_new, ROW(p_actor, NULL, NULL, NULL)::wallet.action_note);
END;
$$;
COMMENT ON FUNCTION wallet.put_product(TEXT, JSONB, TEXT, TEXT, wallet.operator_right) IS
'Creates or changes a product for an operator.';
