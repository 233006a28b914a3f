-- Settles a lot after a change: posts everything that follows from the change, in this lot and in others, until nothing
-- follows. For each lot, in this order:
-- 1. If other lots repaid more of its debt than is left of it, the excess returns to them, the last payer first.
-- 2. If it has expired, its remaining amount lapses.
-- 3. If it is the lot of a plan's period, its unused amount rolls over, as wallet.rollovers states.
-- 4. It repays the wallet's debts in its unit, the oldest first, as every new grant does.
-- If a step changes another lot, that lot is settled before the next step. Repeating the call changes nothing. The
-- caller holds the wallet of the lot.
-- p_returns, p_rolls, p_repays: whether steps 1, 3 and 4 apply to the first lot. Step 3 always applies to a lot that
-- lapses.
-- p_booking_id: the booking to record for a lapse of the first lot.
-- Locks: the wallets of payers in other accounts, without waiting, because other locks are already held. Codes: WL503
-- wallet-busy if another transaction holds one.
CREATE OR REPLACE FUNCTION wallet.settle(
    p_account_id BIGINT,
    p_lot_id UUID,
    p_returns BOOLEAN DEFAULT TRUE,
    p_rolls BOOLEAN DEFAULT FALSE,
    p_repays BOOLEAN DEFAULT FALSE,
    p_booking_id UUID DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- The first lot, and on top of it the lot that it changed, and so on.
    v_stack wallet.settling[];
    v_top INTEGER := 1;
    v_item wallet.settling;
    v_next wallet.settling;
    v_lot wallet.lots;
BEGIN
    v_item.account_id := p_account_id;
    v_item.lot_id := p_lot_id;
    v_item.returns := p_returns;
    v_item.rolls := p_rolls;
    v_item.repays := p_repays;
    v_stack[1] := v_item;
    WHILE v_top > 0 LOOP
        v_item := v_stack[v_top];
        v_next := NULL;
        SELECT l.* INTO STRICT v_lot FROM wallet.lots AS l
        WHERE l.account_id = v_item.account_id AND l.lot_id = v_item.lot_id;
        IF v_item.returns THEN
            v_next := wallet.return_repayment(v_lot);
            v_stack[v_top].returns := v_next.lot_id IS NOT NULL;
        ELSIF v_lot.is_open AND v_lot.expires_at <= wallet.now() THEN
            PERFORM wallet.post_lot(
                v_lot.account_id, v_lot.environment, v_lot.lot_id, 'lapse', p_lapsed => v_lot.remaining,
                p_booking_id => CASE WHEN v_top = 1 THEN p_booking_id END
            );
            PERFORM wallet.emit(
                'credits.expired', v_lot.account_id, v_lot.environment, v_lot.claim_id,
                p_details => jsonb_build_object('lot_id', v_lot.lot_id, 'amount', v_lot.remaining)
            );
            v_stack[v_top].rolls := v_lot.source = 'plan';
        ELSIF v_item.rolls THEN
            v_next := wallet.roll_over(v_lot);
            v_stack[v_top].rolls := v_next.lot_id IS NOT NULL;
        ELSIF v_item.repays THEN
            v_stack[v_top].repays := wallet.repay_debt(v_lot);
        ELSE
            IF v_item.event IS NOT NULL THEN
                PERFORM wallet.emit(
                    v_item.event, v_item.account_id, v_lot.environment, v_item.claim_id,
                    p_details => jsonb_build_object('lot_id', v_item.lot_id, 'amount', v_item.amount)
                );
            END IF;
            v_top := v_top - 1;
        END IF;
        IF v_next.lot_id IS NOT NULL THEN
            v_top := v_top + 1;
            v_stack[v_top] := v_next;
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.settle(BIGINT, UUID, BOOLEAN, BOOLEAN, BOOLEAN, UUID) IS
'Posts everything that follows from the change of a lot, until nothing follows.';

-- Returns an excess repayment of a lot's debt to the last lot that paid, and returns the payer to settle; null if there
-- is no excess. The payer may belong to another account now: the amount returns to it, not to the debtor's owner. A
-- returned amount first repays other debts of its wallet, as a grant would.
-- Locks and codes: see wallet.settle.
CREATE OR REPLACE FUNCTION wallet.return_repayment(p_debtor wallet.lots) RETURNS wallet.settling LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_excess CONSTANT BIGINT := (
        SELECT coalesce(sum(r.amount), 0) FROM wallet.repayments AS r
        WHERE r.account_id = p_debtor.account_id AND r.debtor_lot_id = p_debtor.lot_id
    ) - p_debtor.repaid;
    v_repayment wallet.repayments;
    v_is_held BOOLEAN;
    v_payer wallet.settling;
BEGIN
    IF v_excess < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'XX001', MESSAGE = 'the repayments of a lot are less than its repaid amount';
    ELSIF v_excess = 0 THEN
        RETURN NULL;
    END IF;
    SELECT r.* INTO STRICT v_repayment FROM wallet.repayments AS r
    WHERE r.account_id = p_debtor.account_id AND r.debtor_lot_id = p_debtor.lot_id AND r.amount > 0
    ORDER BY r.payer_lot_id DESC
    LIMIT 1;
    v_payer.account_id := v_repayment.payer_account_id;
    v_payer.lot_id := v_repayment.payer_lot_id;
    v_payer.amount := least(v_excess, v_repayment.amount);
    PERFORM FROM wallet.wallets AS w
    WHERE w.account_id = v_payer.account_id AND w.environment = p_debtor.environment
    FOR UPDATE SKIP LOCKED;
    v_is_held := FOUND;
    UPDATE wallet.repayments AS r SET amount = r.amount - v_payer.amount
    WHERE
        r.account_id = p_debtor.account_id AND r.debtor_lot_id = p_debtor.lot_id
        AND r.payer_account_id = v_payer.account_id AND r.payer_lot_id = v_payer.lot_id AND v_is_held;
    IF NOT FOUND THEN
        -- Another transaction holds the payer's wallet, or has just moved the payer's lot.
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    PERFORM wallet.post_lot(
        v_payer.account_id, p_debtor.environment, v_payer.lot_id, 'repay_return', p_spent => -v_payer.amount
    );
    v_payer.returns := TRUE;
    v_payer.repays := TRUE;
    -- As in wallet.return_to_lot.
    SELECT l.source = 'plan' AND l.refunded > 0 INTO STRICT v_payer.rolls FROM wallet.lots AS l
    WHERE l.account_id = v_payer.account_id AND l.lot_id = v_payer.lot_id;
    v_payer.event := CASE WHEN v_payer.account_id <> p_debtor.account_id THEN 'credits.granted' END;
    RETURN v_payer;
END;
$$;
COMMENT ON FUNCTION wallet.return_repayment(wallet.lots) IS
'Returns an excess repayment of a lot''s debt to the last lot that paid.';

-- Makes the lot that was rolled over from a period's lot match wallet.rollovers: creates it with the amount that rolls
-- over, then refunds or restores the difference. Returns the rolled lot to settle; null if it matches.
-- Locks: no others; the caller holds the wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.roll_over(p_lot wallet.lots) RETURNS wallet.settling LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_rollover wallet.rollovers;
    v_rolled wallet.settling;
BEGIN
    SELECT r.* INTO v_rollover FROM wallet.rollovers AS r
    WHERE r.account_id = p_lot.account_id AND r.lot_id = p_lot.lot_id;
    IF v_rollover.rolled_lot_id IS NULL AND v_rollover.granted > 0 THEN
        v_rolled.account_id := p_lot.account_id;
        v_rolled.lot_id := wallet.new_id();
        v_rolled.amount := v_rollover.granted;
        v_rolled.event := 'credits.granted';
        INSERT INTO wallet.lots (
            account_id, lot_id, environment, unit, source, product_id, rolled_from, granted, expires_at, released_at,
            created_at
        ) VALUES (
            p_lot.account_id, v_rolled.lot_id, p_lot.environment, p_lot.unit, 'plan', v_rollover.product_id,
            p_lot.claim_id, 0, v_rollover.expires_at, p_lot.released_at, wallet.now()
        );
        PERFORM wallet.post_lot(
            v_rolled.account_id, p_lot.environment, v_rolled.lot_id, 'rollover', p_granted => v_rolled.amount,
            p_claim_id => p_lot.claim_id
        );
    ELSIF v_rollover.refunded <> v_rollover.rolled_refunded THEN
        v_rolled.account_id := v_rollover.rolled_account_id;
        v_rolled.lot_id := v_rollover.rolled_lot_id;
        v_rolled.amount := abs(v_rollover.refunded - v_rollover.rolled_refunded);
        v_rolled.event := CASE
            WHEN v_rollover.refunded > v_rollover.rolled_refunded THEN 'credits.refunded' ELSE 'credits.granted'
        END;
        PERFORM wallet.post_lot(
            v_rolled.account_id, p_lot.environment, v_rolled.lot_id,
            CASE v_rolled.event WHEN 'credits.refunded' THEN 'refund' ELSE 'refund_reversal' END,
            p_refunded => v_rollover.refunded - v_rollover.rolled_refunded, p_claim_id => p_lot.claim_id
        );
    ELSE
        RETURN NULL;
    END IF;
    v_rolled.claim_id := p_lot.claim_id;
    v_rolled.returns := TRUE;
    v_rolled.repays := TRUE;
    RETURN v_rolled;
END;
$$;
COMMENT ON FUNCTION wallet.roll_over(wallet.lots) IS
'Makes the lot that was rolled over from a period''s lot match wallet.rollovers.';

-- Repays the wallet's oldest debt in a lot's unit from that lot. While the owner's account exists, released lots repay
-- only debts of released lots, and other lots only debts of other lots. Returns false if there is no such debt, or if
-- the lot has no remaining amount.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.repay_debt(p_payer wallet.lots) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_debtor wallet.lots;
    v_share BIGINT;
BEGIN
    SELECT l.* INTO v_debtor FROM wallet.lots AS l
    WHERE
        l.account_id = p_payer.account_id AND l.environment = p_payer.environment AND l.unit = p_payer.unit
        AND l.owed > 0
        -- A released lot's debt will leave the account together with the lot, so lots that stay do not repay it.
        AND ((l.released_at IS NULL) = (p_payer.released_at IS NULL) OR EXISTS (
            SELECT FROM wallet.accounts AS a WHERE a.account_id = p_payer.account_id AND a.deleted_at IS NOT NULL
        ))
    ORDER BY l.lot_id
    LIMIT 1;
    v_share := least(p_payer.remaining, v_debtor.owed);
    IF v_debtor.lot_id IS NULL OR v_share = 0 THEN
        RETURN FALSE;
    END IF;
    UPDATE wallet.lots AS l SET repaid = l.repaid + v_share
    WHERE l.account_id = v_debtor.account_id AND l.lot_id = v_debtor.lot_id;
    INSERT INTO wallet.repayments (account_id, debtor_lot_id, payer_account_id, payer_lot_id, amount)
    VALUES (v_debtor.account_id, v_debtor.lot_id, p_payer.account_id, p_payer.lot_id, v_share)
    ON CONFLICT (account_id, debtor_lot_id, payer_lot_id)
    DO UPDATE SET amount = wallet.repayments.amount + excluded.amount;
    PERFORM wallet.post_lot(
        p_payer.account_id, p_payer.environment, p_payer.lot_id, 'repay',
        p_spent => v_share, p_owed_elsewhere => -v_share, p_claim_id => v_debtor.claim_id
    );
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.repay_debt(wallet.lots) IS
'Repays the wallet''s oldest debt in a lot''s unit from that lot.';
