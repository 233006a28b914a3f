-- Updates the ledger to match a claim: grants the missing amount, takes back the refunded share or returns the part
-- that is no longer refunded, and ends, extends or rolls over periods. Facts contain absolute values, so repeating the
-- call changes nothing.
-- p_owner: the account to grant a claim without an owner to.
-- Locks: the owner's wallet; the caller holds the claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sync_claim(p_claim_id BIGINT, p_owner BIGINT DEFAULT NULL) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_lot wallet.lots;
    v_worth BIGINT;
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    v_claim.account_id := coalesce(v_claim.account_id, p_owner);
    PERFORM wallet.lock_wallet(v_claim.account_id, v_claim.environment);
    IF v_claim.granted_at IS NULL THEN
        v_claim := wallet.grant_claim(v_claim);
    END IF;
    v_worth := wallet.claim_worth(v_claim);
    IF v_worth > 0 THEN
        SELECT l.* INTO STRICT v_lot FROM wallet.lots AS l WHERE l.claim_id = p_claim_id;
        IF v_worth > v_lot.granted THEN
            PERFORM wallet.post_lot(
                v_lot.account_id, v_lot.environment, v_lot.lot_id, 'grant',
                p_granted => v_worth - v_lot.granted, p_claim_id => p_claim_id
            );
            PERFORM wallet.settle(v_lot.account_id, v_lot.lot_id, p_repays => TRUE);
            PERFORM wallet.emit(
                'credits.granted', v_lot.account_id, v_lot.environment, p_claim_id,
                p_details => jsonb_build_object('lot_id', v_lot.lot_id, 'amount', v_worth - v_lot.granted)
            );
            SELECT l.* INTO STRICT v_lot FROM wallet.lots AS l WHERE l.claim_id = p_claim_id;
        END IF;
        PERFORM wallet.sync_refund(v_lot, wallet.claim_refunded(v_claim), p_claim_id);
    END IF;
    IF v_claim.kind = 'subscription' THEN
        PERFORM wallet.sync_group(v_claim);
    END IF;
    PERFORM wallet.flag_refund_abuse(v_claim);
END;
$$;
COMMENT ON FUNCTION wallet.sync_claim(BIGINT, BIGINT) IS 'Updates the ledger to match a claim.';
