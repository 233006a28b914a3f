-- Brings the books to what a claim says: grants what its quantity is worth and is not yet granted, then takes away the
-- refunded share or gives back what is no longer refunded. Facts are absolute, so doing it twice changes nothing.
-- Called by: wallet.apply_fact, wallet.merge_claims, wallet.grant_waiting. Locks: the owner's wallet; the caller holds
-- the claim. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sync_claim(p_claim_id bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_product wallet.products;
    v_lot wallet.lots;
    v_worth bigint;
    v_refunded bigint;
BEGIN
    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    PERFORM wallet.lock_wallet(v_claim.account_id, v_claim.environment);
    IF v_claim.granted_at IS NULL THEN
        v_product := wallet.product_of(v_claim);
        v_claim.grant_amount := CASE
            WHEN v_product.unlimited THEN 0
            WHEN v_claim.period_type = 'trial' THEN v_product.trial_amount
            ELSE v_product.amount + v_product.bonus
        END;
        UPDATE wallet.claims AS c SET
            product_id = v_product.product_id,
            grant_amount = v_claim.grant_amount,
            granted_at = wallet.now()
        WHERE c.claim_id = p_claim_id;
    END IF;
    v_worth := v_claim.grant_amount * v_claim.quantity;
    IF v_worth = 0 THEN
        RETURN;
    END IF;

    SELECT l.* INTO v_lot FROM wallet.lots AS l WHERE l.claim_id = p_claim_id;
    IF NOT FOUND THEN
        v_lot.lot_id := wallet.open_lot(
            v_claim.account_id, v_claim.environment, 'grant', v_product.unit, v_product.kind, v_worth,
            wallet.lot_expiry(v_product, v_claim), v_product.product_id, p_claim_id
        );
        PERFORM wallet.emit('credits.granted', v_claim.account_id, v_claim.environment, p_claim_id);
    ELSIF v_worth > v_lot.granted THEN
        PERFORM wallet.post_lot(
            v_claim.account_id, v_claim.environment, v_lot.lot_id, 'grant',
            p_granted => v_worth - v_lot.granted, p_claim_id => p_claim_id
        );
        PERFORM wallet.lapse_lot(v_claim.account_id, v_claim.environment, v_lot.lot_id);
        PERFORM wallet.repay_debts(v_claim.account_id, v_claim.environment, v_lot.lot_id);
        PERFORM wallet.emit('credits.granted', v_claim.account_id, v_claim.environment, p_claim_id);
    END IF;

    SELECT l.* INTO STRICT v_lot FROM wallet.lots AS l
    WHERE l.account_id = v_claim.account_id AND l.lot_id = v_lot.lot_id;
    v_refunded := v_lot.granted * v_claim.refunded_millionths / 1000000;
    IF v_refunded <> v_lot.refunded THEN
        PERFORM wallet.post_lot(
            v_claim.account_id, v_claim.environment, v_lot.lot_id,
            CASE WHEN v_refunded > v_lot.refunded THEN 'refund' ELSE 'refund_reversal' END,
            p_refunded => v_refunded - v_lot.refunded, p_claim_id => p_claim_id
        );
        PERFORM wallet.lapse_lot(v_claim.account_id, v_claim.environment, v_lot.lot_id);
        PERFORM wallet.repay_debts(v_claim.account_id, v_claim.environment, v_lot.lot_id);
        PERFORM wallet.emit(
            CASE WHEN v_refunded > v_lot.refunded THEN 'credits.reversed' ELSE 'credits.granted' END,
            v_claim.account_id, v_claim.environment, p_claim_id
        );
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.sync_claim(bigint) IS 'Brings the books to what a claim says.';
