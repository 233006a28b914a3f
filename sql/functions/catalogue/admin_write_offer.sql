-- Carries out INSERT and UPDATE on admin.offers. Refuses an UPDATE if the offer has changed since the statement read
-- it.
-- Locks: the offer's row. Codes: WL422 column-not-editable, WL409 offer-changed.
CREATE OR REPLACE FUNCTION wallet.admin_write_offer() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.eligibility := coalesce(NEW.eligibility, 'subscribed_before');
        NEW.is_active := coalesce(NEW.is_active, TRUE);
        INSERT INTO wallet.offers (product_id, offer_id, name, eligibility, is_active)
        VALUES (NEW.product_id, NEW.offer_id, NEW.name, NEW.eligibility, NEW.is_active);
        PERFORM wallet.record_action(
            NULL, 'add-offer', 'offer', NEW.product_id || ' ' || NEW.offer_id, '{}', to_jsonb(NEW)
        );
        RETURN NEW;
    ELSIF (NEW.product_id, NEW.offer_id) IS DISTINCT FROM (OLD.product_id, OLD.offer_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'The App Store identifies the offer by its product and offer_id.';
    END IF;
    UPDATE wallet.offers AS o SET name = NEW.name, eligibility = NEW.eligibility, is_active = NEW.is_active
    WHERE
        o.product_id = OLD.product_id AND o.offer_id = OLD.offer_id
        AND (o.name, o.eligibility, o.is_active) = (OLD.name, OLD.eligibility, OLD.is_active);
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'offer-changed',
            HINT = 'Read the offer again and decide again.';
    END IF;
    PERFORM wallet.record_action(
        NULL, 'change-offer', 'offer', OLD.product_id || ' ' || OLD.offer_id, to_jsonb(OLD), to_jsonb(NEW)
    );
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
COMMENT ON FUNCTION wallet.admin_write_offer() IS 'Carries out INSERT and UPDATE on admin.offers.';
