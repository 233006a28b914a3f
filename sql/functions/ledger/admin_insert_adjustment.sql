-- Carries out INSERT INTO admin.adjustments. A user whom the wallet does not know is refused, since it may be a typing
-- error, unless new_user says that they are meant.
-- Locks: see wallet.adjust. Codes: see wallet.adjust; WL422 user-and-reference-required, WL404 user-not-found.
CREATE OR REPLACE FUNCTION wallet.admin_insert_adjustment() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF wallet.is_plain_text(NEW.user_id) IS NOT TRUE OR wallet.is_plain_text(NEW.reference) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'user-and-reference-required',
            HINT = 'Each is one line without control characters.';
    END IF;
    NEW.user_id := wallet.canonical_user_id(NEW.user_id);
    IF
        NEW.new_user IS NOT TRUE
        AND NOT EXISTS (SELECT FROM wallet.identities AS i WHERE i.user_id = NEW.user_id)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found',
            HINT = 'new_user = TRUE opens a user whom the wallet does not know yet.';
    END IF;
    NEW.environment := coalesce(NEW.environment, 'production');
    NEW.unit := coalesce(NEW.unit, 'credit');
    -- As the interface calls it; the ledger's own word for a gift is promo.
    NEW.source := CASE WHEN NEW.source = 'gift' THEN 'promo' ELSE coalesce(NEW.source, 'adjustment') END;
    NEW.actor := session_user::TEXT;
    NEW.at := wallet.now();
    IF NOT wallet.adjust(
        wallet.account_for(NEW.user_id), NEW.environment, NEW.unit, NEW.amount::BIGINT, NEW.reference, NEW.actor, NEW.reason,
        coalesce(NEW.expires_at, 'infinity'), NEW.source
    ) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.admin_insert_adjustment() IS 'Carries out INSERT INTO admin.adjustments.';
