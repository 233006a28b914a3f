-- Moves lots of one account to another, with the claims that paid for them. A lot keeps its id and its counters. The
-- row that stays behind has zero amounts and names the new account. Repayments between two lots stay valid wherever the
-- lots are: repaid debts stay repaid, and the amount returns to the payer if the debt is undone. A moved lot lapses if
-- it is due, and repays debts of the new wallet, as a grant would. If a lot expires and rolls over while this function
-- waits for the wallets, the new lot moves, too.
-- The caller holds the claims. Locks: both wallets, in order of account, then the lots' repayments by debtor and payer.
-- Codes: none.
CREATE OR REPLACE FUNCTION wallet.move_lots(
    p_from BIGINT,
    p_to BIGINT,
    p_environment wallet.environment,
    p_lot_ids UUID[]
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_ids UUID[];
    v_lot_id UUID;
BEGIN
    PERFORM wallet.lock_wallet(least(p_from, p_to), p_environment);
    PERFORM wallet.lock_wallet(greatest(p_from, p_to), p_environment);
    v_lot_ids := ARRAY(
        SELECT l.lot_id FROM wallet.lots AS l
        WHERE
            l.account_id = p_from AND l.environment = p_environment AND l.moved_to IS NULL
            AND (
                l.lot_id = ANY(p_lot_ids) OR l.rolled_from IN (
                    SELECT o.claim_id FROM wallet.lots AS o WHERE o.account_id = p_from AND o.lot_id = ANY(p_lot_ids)
                )
            )
        ORDER BY l.lot_id
    );
    IF p_from = p_to OR cardinality(v_lot_ids) = 0 THEN
        RETURN;
    END IF;
    FOREACH v_lot_id IN ARRAY v_lot_ids LOOP
        PERFORM wallet.move_lot(p_from, p_to, v_lot_id);
    END LOOP;
    -- A concurrent transaction may be moving the other lot of a repayment.
    PERFORM FROM wallet.repayments AS r
    WHERE
        (r.account_id = p_from AND r.debtor_lot_id = ANY(v_lot_ids))
        OR (r.payer_account_id = p_from AND r.payer_lot_id = ANY(v_lot_ids))
    ORDER BY r.debtor_lot_id, r.payer_lot_id
    FOR UPDATE;
    UPDATE wallet.repayments AS r SET account_id = p_to
    WHERE r.account_id = p_from AND r.debtor_lot_id = ANY(v_lot_ids);
    UPDATE wallet.repayments AS r SET payer_account_id = p_to
    WHERE r.payer_account_id = p_from AND r.payer_lot_id = ANY(v_lot_ids);
    PERFORM wallet.lapse_due(p_from, p_environment);
    PERFORM wallet.lapse_due(p_to, p_environment);
    FOREACH v_lot_id IN ARRAY v_lot_ids LOOP
        PERFORM wallet.settle(p_to, v_lot_id, p_repays => TRUE);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.move_lots(BIGINT, BIGINT, wallet.environment, UUID[]) IS
'Moves lots of one account to another, with the claims that paid for them.';

-- Moves one lot, its freezes and the claim that paid for it to another account, and posts an entry in both ledgers. A
-- released lot stays released. An event reports the entry to the new owner. The caller holds both wallets and moves the
-- repayments.
-- Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.move_lot(p_from BIGINT, p_to BIGINT, p_lot_id UUID) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot wallet.lots;
    v_out wallet.posting;
    v_in wallet.posting;
BEGIN
    SELECT l.* INTO STRICT v_lot FROM wallet.lots AS l WHERE l.account_id = p_from AND l.lot_id = p_lot_id;
    UPDATE wallet.lots AS l SET
        granted = 0, spent = 0, lapsed = 0, refunded = 0, repaid = 0, claim_id = NULL, rolled_from = NULL,
        released_at = NULL, frozen_from = NULL, frozen_until = NULL, frozen_seconds = 0, starts_at = NULL,
        bundle_item = 0, moved_to = p_to
    WHERE l.account_id = p_from AND l.lot_id = p_lot_id;
    INSERT INTO wallet.lots AS l (
        account_id, lot_id, environment, unit, source, product_id, claim_id, granted, spent, lapsed, refunded, repaid,
        expires_at, reopened_until, rolled_from, released_at, created_at, warned_at, frozen_from, frozen_until,
        frozen_seconds, starts_at, bundle_item
    ) VALUES (
        p_to, p_lot_id, v_lot.environment, v_lot.unit, v_lot.source, v_lot.product_id, v_lot.claim_id, v_lot.granted,
        v_lot.spent, v_lot.lapsed, v_lot.refunded, v_lot.repaid, v_lot.expires_at, v_lot.reopened_until,
        v_lot.rolled_from, v_lot.released_at, v_lot.created_at, v_lot.warned_at, v_lot.frozen_from, v_lot.frozen_until,
        v_lot.frozen_seconds, v_lot.starts_at, v_lot.bundle_item
    )
    -- A lot that returns to an account finds the row that it left there.
    ON CONFLICT (account_id, lot_id) DO UPDATE SET
        claim_id = excluded.claim_id,
        granted = excluded.granted,
        spent = excluded.spent,
        lapsed = excluded.lapsed,
        refunded = excluded.refunded,
        repaid = excluded.repaid,
        expires_at = excluded.expires_at,
        reopened_until = excluded.reopened_until,
        rolled_from = excluded.rolled_from,
        released_at = excluded.released_at,
        warned_at = excluded.warned_at,
        frozen_from = excluded.frozen_from,
        frozen_until = excluded.frozen_until,
        frozen_seconds = excluded.frozen_seconds,
        starts_at = excluded.starts_at,
        bundle_item = excluded.bundle_item,
        moved_to = NULL;
    UPDATE wallet.freezes AS f SET account_id = p_to WHERE f.account_id = p_from AND f.lot_id = p_lot_id;
    UPDATE wallet.wallets AS w SET last_start = v_lot.starts_at
    WHERE w.account_id = p_to AND w.environment = v_lot.environment AND w.last_start < v_lot.starts_at;
    v_out.account_id := p_from;
    v_out.environment := v_lot.environment;
    v_out.kind := 'transfer_out';
    v_out.unit := v_lot.unit;
    v_out.amount := -v_lot.remaining;
    v_out.owed_change := -v_lot.owed;
    v_out.lot_id := p_lot_id;
    v_out.claim_id := v_lot.claim_id;
    v_in := v_out;
    v_in.account_id := p_to;
    v_in.kind := 'transfer_in';
    v_in.amount := v_lot.remaining;
    v_in.owed_change := v_lot.owed;
    PERFORM wallet.post(ARRAY[v_out, v_in]);
    PERFORM wallet.emit(
        'credits.transferred', p_to, v_lot.environment, v_lot.claim_id,
        p_details => jsonb_build_object('lot_id', p_lot_id)
    ) WHERE v_lot.remaining > 0 OR v_lot.owed > 0;
    -- The subscription is transferred separately, if at all.
    UPDATE wallet.claims AS c SET account_id = p_to, subscriber_id = coalesce(c.subscriber_id, p_from)
    WHERE c.claim_id = v_lot.claim_id;
END;
$$;
COMMENT ON FUNCTION wallet.move_lot(BIGINT, BIGINT, UUID) IS 'Moves one lot to another account.';
