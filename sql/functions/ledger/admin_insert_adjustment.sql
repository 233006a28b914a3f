-- Carries out INSERT INTO admin.adjustments. Refuses an unknown user, which may be a typing error, unless new_user is
-- true.
-- Locks: see wallet.adjust. Codes: see wallet.adjust; WL422 user-and-reference-required, WL422 source-not-possible,
-- WL404 user-not-found.
CREATE OR REPLACE FUNCTION wallet.admin_insert_adjustment() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id BIGINT;
    v_refusal wallet.admin_refusal;
BEGIN
    IF wallet.is_plain_text(NEW.user_id) IS NOT TRUE OR wallet.is_plain_text(NEW.reference) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'user-and-reference-required',
            HINT = 'Each must be one line without control characters.';
    END IF;
    NEW.user_id := wallet.canonical_user_id(NEW.user_id);
    v_account_id := wallet.known_account(NEW.user_id, NEW.new_user);
    IF NEW.source NOT IN ('adjustment', 'gift', 'promo') THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'source-not-possible';
    END IF;
    NEW.environment := coalesce(NEW.environment, 'production');
    NEW.unit := coalesce(NEW.unit, 'credit');
    -- The interface uses 'gift'; the ledger stores 'promo'.
    NEW.source := CASE WHEN NEW.source = 'gift' THEN 'promo' ELSE coalesce(NEW.source, 'adjustment') END;
    NEW.actor := session_user::TEXT;
    NEW.at := wallet.now();
    IF NOT wallet.adjust(
        v_account_id, NEW.environment, NEW.unit, NEW.amount::wallet.whole_number::BIGINT, NEW.reference, NEW.actor, NEW.reason,
        coalesce(NEW.expires_at, 'infinity'), NEW.source
    ) THEN
        RETURN NULL;
    END IF;
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
COMMENT ON FUNCTION wallet.admin_insert_adjustment() IS 'Carries out INSERT INTO admin.adjustments.';
