-- Carries out INSERT and UPDATE on admin.products through the function of the operator route. The kind and unit of a
-- product are fixed, because sold lots have them. The product_id is fixed too, because passes and purchases refer to
-- it. Refuses an UPDATE if the product has changed since the statement read it.
-- Locks: the product's row, then see wallet.put_product. Codes: see wallet.put_product; WL409 product-changed, WL409
-- product-exists, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_product() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
    v_now admin.products;
BEGIN
    PERFORM FROM wallet.products AS p WHERE p.product_id = coalesce(OLD.product_id, NEW.product_id) FOR UPDATE;
    SELECT p.* INTO v_now FROM admin.products AS p WHERE p.product_id = coalesce(OLD.product_id, NEW.product_id);
    IF TG_OP = 'INSERT' AND FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-exists',
            HINT = 'To change it, use UPDATE admin.products.';
    ELSIF TG_OP = 'UPDATE' AND NEW.product_id IS DISTINCT FROM OLD.product_id THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Passes and purchases refer to the product by its product_id.';
    ELSIF TG_OP = 'UPDATE' AND v_now IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-changed',
            HINT = 'Read the product again and decide again.';
    END IF;
    PERFORM n.value::TEXT::NUMERIC::wallet.whole_number FROM jsonb_each(to_jsonb(NEW)) AS n
    WHERE jsonb_typeof(n.value) = 'number';
    PERFORM wallet.put_product(NEW.product_id, to_jsonb(NEW), session_user::TEXT, NULL);
    RETURN NEW;
EXCEPTION
    WHEN SQLSTATE 'WL000' OR integrity_constraint_violation OR data_exception THEN
        GET STACKED DIAGNOSTICS
            v_refusal.state = RETURNED_SQLSTATE, v_refusal.message = MESSAGE_TEXT,
            v_refusal.detail = PG_EXCEPTION_DETAIL, v_refusal.hint = PG_EXCEPTION_HINT,
            v_refusal.name = CONSTRAINT_NAME, v_refusal.lacking = COLUMN_NAME;
        v_refusal := wallet.admin_refusal(v_refusal);
        RAISE EXCEPTION USING ERRCODE = v_refusal.state, MESSAGE = v_refusal.message, DETAIL = v_refusal.detail,
            HINT = v_refusal.hint;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_product() IS 'Carries out INSERT and UPDATE on admin.products.';
