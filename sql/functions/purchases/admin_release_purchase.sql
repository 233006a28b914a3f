-- Carries out UPDATE admin.purchases SET released: TRUE releases a purchase to the user who proves it, FALSE takes that
-- back while nobody has. What a deleted account left behind stays released.
-- Locks and codes: see wallet.release_claim, wallet.transfer_released_claims; WL409 owner-deleted.
CREATE OR REPLACE FUNCTION wallet.admin_release_purchase() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_refusal wallet.admin_refusal;
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
COMMENT ON FUNCTION wallet.admin_release_purchase() IS 'Carries out UPDATE admin.purchases SET released.';
