-- Applies one store fact. All facts go through this function. It records the fact on its claim, resolves the owner, and
-- updates the ledger to match the claim. A fact may arrive any number of times, in any order, from any source.
-- p_account_id: the submitter; null if no user submits the fact. p_attested_by_store: whether the store itself, not the
-- submitter, names the account.
-- Locks: the claim, then the catalogue against changes if it lacks the product, then the owner's account against
-- merging, then the owner's wallet, then the subscription. Codes: WL422 for a fact that identifies no purchase, WL503
-- wallet-busy for an unknown product while the catalogue changes.
CREATE OR REPLACE FUNCTION wallet.apply_fact(
    p_account_id BIGINT, p_fact JSONB, p_attested_by_store BOOLEAN DEFAULT FALSE
)
RETURNS wallet.fact_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_claim wallet.claims;
    v_outcome wallet.fact_outcome;
    v_reason TEXT;
    v_owner BIGINT;
    v_granted_before BOOLEAN;
BEGIN
    v_claim := wallet.record_claim(p_fact);
    v_granted_before := v_claim.granted_at IS NOT NULL;
    v_owner := wallet.resolve_claim_owner(p_account_id, v_claim, p_attested_by_store);
    v_reason := wallet.grant_refusal(v_claim, p_account_id, v_owner, p_attested_by_store);
    IF v_reason = 'unknown-product' THEN
        PERFORM wallet.lock_catalogue();
        v_reason := wallet.grant_refusal(v_claim, p_account_id, v_owner, p_attested_by_store);
    END IF;
    IF v_claim.granted_at IS NULL AND v_reason IS NULL THEN
        -- wallet.grant_claim writes everything in one update, but the account must be locked before the wallet.
        PERFORM FROM wallet.accounts AS a WHERE a.account_id = v_owner FOR SHARE;
    ELSIF
        v_claim.granted_at IS NULL
        AND v_reason NOT IN ('transaction-already-claimed', 'released')
    THEN
        UPDATE wallet.claims AS c SET
            verdict = v_reason,
            account_id = coalesce(c.account_id, CASE
                WHEN v_reason IN (
                    'before-cutover', 'unknown-product', 'period-end-unknown', 'refunded', 'account-blocked',
                    'granted-by-virtual-currency'
                ) OR (v_reason = 'pending' AND p_attested_by_store) THEN v_owner
            END)
        WHERE c.claim_id = v_claim.claim_id;
    ELSIF v_claim.granted_at IS NULL AND v_claim.account_id IS NOT NULL THEN
        -- Another user's refusal does not decide the owner's claim, but this fact may unblock it, so it is applied for
        -- the owner.
        PERFORM wallet.apply_fact(NULL, p_fact);
    END IF;
    IF v_granted_before OR v_reason IS NULL OR v_reason = 'refunded' THEN
        PERFORM wallet.sync_claim(v_claim.claim_id, v_owner);
        PERFORM wallet.sync_subscription(v_claim.claim_id);
    END IF;
    -- A claim that still waits, for example for its product, may be the renewal of a deleted account's subscription.
    PERFORM wallet.keep_released(v_claim.claim_id);

    SELECT c.* INTO STRICT v_claim FROM wallet.claims AS c WHERE c.claim_id = v_claim.claim_id;
    v_outcome.verdict := CASE WHEN v_reason IS NULL THEN 'granted' ELSE 'skipped' END;
    v_outcome.reason := v_reason;
    v_outcome.duplicate := v_granted_before;
    v_outcome.transaction_id := coalesce(
        p_fact ->> 'transaction_id', v_claim.transaction_id, v_claim.order_id, v_claim.purchase_token
    );
    v_outcome.product_id := v_claim.product_id;
    v_outcome.claim_id := v_claim.claim_id;
    IF v_reason IS NULL THEN
        v_outcome.account_id := v_claim.account_id;
        SELECT l.unit, l.granted, l.lot_id INTO v_outcome.unit, v_outcome.amount, v_outcome.lot_id
        FROM wallet.lots AS l WHERE l.claim_id = v_claim.claim_id;
    END IF;
    v_outcome.amount := coalesce(v_outcome.amount, 0);
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.apply_fact(BIGINT, JSONB, BOOLEAN) IS
'Applies one store fact: records it, resolves its owner, and grants or reverses the difference.';
