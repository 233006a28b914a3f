-- Carries out UPDATE admin.purchases SET released = TRUE. What is released stays so until somebody proves it.
-- Locks and codes: see wallet.release_claim; WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_release_purchase() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NEW.released IS NOT TRUE AND OLD.released THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'What is released stays so until its owner or another user restores it.';
    ELSIF NEW.released AND NOT OLD.released THEN
        PERFORM wallet.release_claim(OLD.claim_id);
    END IF;
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.admin_release_purchase() IS 'Carries out UPDATE admin.purchases SET released = TRUE.';
