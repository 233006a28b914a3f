-- Carries out INSERT and UPDATE on admin.products through the function of the operator route. The kind and unit of a
-- product are fixed, because sold lots have them. The product_id is fixed too, because passes and purchases refer to
-- it. Refuses an UPDATE if the product has changed since the statement read it.
-- Locks: the product's row, then see wallet.put_product. Codes: see wallet.put_product; WL409 product-changed, WL409
-- product-exists, WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_product(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.products := p_old;
    v_new CONSTANT admin.products := p_new;
    v_now admin.products;
BEGIN
    PERFORM FROM wallet.products AS p WHERE p.product_id = coalesce(v_old.product_id, v_new.product_id) FOR UPDATE;
    SELECT p.* INTO v_now FROM admin.products AS p WHERE p.product_id = coalesce(v_old.product_id, v_new.product_id);
    IF p_operation = 'INSERT' AND FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-exists',
            HINT = 'To change it, use UPDATE admin.products.';
    ELSIF p_operation = 'UPDATE' AND v_new.product_id IS DISTINCT FROM v_old.product_id THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Passes and purchases refer to the product by its product_id.';
    ELSIF p_operation = 'UPDATE' AND v_now IS DISTINCT FROM v_old THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'product-changed',
            HINT = 'Read the product again and decide again.';
    END IF;
    PERFORM n.value::TEXT::NUMERIC::wallet.whole_number
    FROM jsonb_path_query(to_jsonb(v_new), 'strict $.** ? (@.type() == "number")') AS n (value);
    PERFORM wallet.put_product(v_new.product_id, to_jsonb(v_new), session_user::TEXT, NULL);
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_product(TEXT, RECORD, RECORD) IS
'Carries out INSERT and UPDATE on admin.products.';

-- Carries out INSERT and UPDATE on admin.offers. Refuses an UPDATE if the offer has changed since the statement read
-- it.
-- Locks: the offer's row. Codes: WL422 column-not-editable, WL409 offer-changed.
CREATE OR REPLACE FUNCTION wallet.admin_write_offer(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.offers := p_old;
    v_new admin.offers := p_new;
BEGIN
    IF p_operation = 'INSERT' THEN
        v_new.eligibility := coalesce(v_new.eligibility, 'subscribed_before');
        v_new.is_active := coalesce(v_new.is_active, TRUE);
        INSERT INTO wallet.offers (product_id, offer_id, name, eligibility, is_active)
        VALUES (v_new.product_id, v_new.offer_id, v_new.name, v_new.eligibility, v_new.is_active);
        PERFORM wallet.record_action(
            NULL, 'add-offer', 'offer', v_new.product_id || ' ' || v_new.offer_id, '{}', to_jsonb(v_new)
        );
        RETURN v_new;
    ELSIF (v_new.product_id, v_new.offer_id) IS DISTINCT FROM (v_old.product_id, v_old.offer_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'The App Store identifies the offer by its product and offer_id.';
    END IF;
    UPDATE wallet.offers AS o SET name = v_new.name, eligibility = v_new.eligibility, is_active = v_new.is_active
    WHERE
        o.product_id = v_old.product_id AND o.offer_id = v_old.offer_id
        AND (o.name, o.eligibility, o.is_active) = (v_old.name, v_old.eligibility, v_old.is_active);
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'offer-changed',
            HINT = 'Read the offer again and decide again.';
    END IF;
    PERFORM wallet.record_action(
        NULL, 'change-offer', 'offer', v_old.product_id || ' ' || v_old.offer_id, to_jsonb(v_old), to_jsonb(v_new)
    );
    RETURN v_new;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_offer(TEXT, RECORD, RECORD) IS 'Carries out INSERT and UPDATE on admin.offers.';
