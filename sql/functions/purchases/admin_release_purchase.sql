-- Carries out UPDATE admin.purchases SET released: TRUE releases a purchase to the user who proves it, FALSE takes that
-- back while nobody has. What a deleted account left behind stays released.
-- Locks and codes: see wallet.release_claim, wallet.transfer_released_claims; WL409 owner-deleted.
CREATE OR REPLACE FUNCTION wallet.admin_release_purchase() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF NEW.released AND NOT OLD.released THEN
        PERFORM wallet.release_claim(OLD.claim_id);
    ELSIF NEW.released IS NOT TRUE AND OLD.released THEN
        IF EXISTS (
            SELECT FROM wallet.accounts AS a WHERE a.account_id = OLD.account_id AND a.deleted_at IS NOT NULL
        ) THEN
            RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'owner-deleted',
                HINT = 'Its owner deleted the account, so only a user who proves the purchase can have it.';
        END IF;
        PERFORM FROM wallet.claims AS c
        WHERE c.claim_id = ANY(wallet.linked_claims(OLD.account_id, ARRAY[OLD.claim_id]))
        ORDER BY c.claim_id
        FOR NO KEY UPDATE;
        -- A user who proved it meanwhile has it, and nothing of it is released any more.
        PERFORM wallet.transfer_released_claims(OLD.account_id, wallet.released_claims(ARRAY[OLD.claim_id]))
        FROM wallet.claims AS c
        WHERE c.claim_id = OLD.claim_id AND c.account_id = OLD.account_id AND c.released_at IS NOT NULL;
    END IF;
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.admin_release_purchase() IS 'Carries out UPDATE admin.purchases SET released.';
