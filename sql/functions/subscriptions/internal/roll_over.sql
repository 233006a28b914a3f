-- Rolls the unused amount of a period over into the next one. This happens once, when the period is over and the next
-- one is known: the plan's percentage of the amount neither spent nor refunded, up to its cap. A period cut short by
-- another one rolls nothing over.
-- A later refund has the same effect as an earlier one: the new lot is granted the rollover without refunds, and the
-- difference is its refunded part. A refund of the next period refunds its share of the rolled amount. If the period
-- turns out to be a duplicate, all of it is refunded. Rolled amounts never roll over again.
-- Locks: no others; the caller holds the wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.roll_over(p_claim_id BIGINT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_period wallet.claims;
    v_next wallet.claims;
    v_own wallet.lots;
    v_rolled wallet.lots;
    v_unspent BIGINT;
    v_amount BIGINT;
    v_end TIMESTAMPTZ;
BEGIN
    SELECT c.* INTO STRICT v_period FROM wallet.claims AS c WHERE c.claim_id = p_claim_id;
    SELECT l.* INTO v_own FROM wallet.lots AS l WHERE l.claim_id = p_claim_id;
    v_next := wallet.period_after(v_period);
    IF
        v_own.lot_id IS NULL OR v_period.rollover_percentage = 0
        OR (v_next.account_id IS DISTINCT FROM v_own.account_id AND v_period.duplicate_of IS NULL)
    THEN
        RETURN;
    END IF;
    -- If a studio's change reopened the lot, its days of grace do not extend the period.
    v_end := CASE WHEN v_own.reopened_until IS NULL THEN v_own.expires_at ELSE wallet.period_end(v_period) END;
    -- The remaining amount of a reopened lot can still be spent.
    v_unspent := v_own.granted - v_own.spent - CASE
        WHEN v_own.reopened_until > wallet.now() THEN v_own.remaining ELSE 0
    END;
    SELECT l.* INTO v_rolled FROM wallet.lots AS l WHERE l.rolled_from = p_claim_id;
    IF NOT FOUND THEN
        v_amount := wallet.rollover_worth(v_period.rollover_percentage, v_period.rollover_cap, v_unspent);
        IF
            v_amount = 0 OR v_end > wallet.now() OR v_end < v_period.expires_at OR v_period.duplicate_of IS NOT NULL
        THEN
            RETURN;
        END IF;
        INSERT INTO wallet.lots (
            account_id, lot_id, environment, unit, source, product_id, rolled_from, granted, expires_at, released_at,
            created_at
        ) VALUES (
            v_own.account_id, wallet.new_id(), v_own.environment, v_own.unit, 'plan', v_next.product_id, p_claim_id,
            0, wallet.period_end(v_next), v_own.released_at, wallet.now()
        ) RETURNING * INTO v_rolled;
        PERFORM wallet.post_lot(
            v_rolled.account_id, v_rolled.environment, v_rolled.lot_id, 'rollover', p_granted => v_amount,
            p_claim_id => p_claim_id
        );
        PERFORM wallet.lapse_lot(v_rolled.account_id, v_rolled.environment, v_rolled.lot_id);
        PERFORM wallet.repay_debts(v_rolled.account_id, v_rolled.environment, v_rolled.lot_id);
        PERFORM wallet.emit(
            'credits.granted', v_rolled.account_id, v_rolled.environment, p_claim_id,
            p_details => jsonb_build_object('lot_id', v_rolled.lot_id, 'amount', v_amount)
        );
        SELECT l.* INTO STRICT v_rolled FROM wallet.lots AS l WHERE l.rolled_from = p_claim_id;
    END IF;
    v_amount := CASE
        -- A period in between was reported late, so this one was cut short after all.
        WHEN v_end < v_period.expires_at THEN 0
        ELSE least(v_rolled.granted, wallet.rollover_worth(
            v_period.rollover_percentage, v_period.rollover_cap, v_unspent - v_own.refunded
        ))
    END;
    PERFORM wallet.sync_refund(
        v_rolled, v_rolled.granted - v_amount + coalesce(wallet.refunded_part(v_next, v_amount), 0), p_claim_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.roll_over(BIGINT) IS 'Rolls the unused amount of a period over into the next one, once.';
