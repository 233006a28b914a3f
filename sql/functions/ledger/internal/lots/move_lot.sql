-- Moves one lot, and the claim that paid for it, to another account, and posts an entry in both ledgers. A released lot
-- stays released. The caller holds both wallets and moves the repayments.
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
        released_at = NULL, moved_to = p_to
    WHERE l.account_id = p_from AND l.lot_id = p_lot_id;
    INSERT INTO wallet.lots AS l (
        account_id, lot_id, environment, unit, source, product_id, claim_id, granted, spent, lapsed, refunded, repaid,
        expires_at, reopened_until, rolled_from, released_at, created_at
    ) VALUES (
        p_to, p_lot_id, v_lot.environment, v_lot.unit, v_lot.source, v_lot.product_id, v_lot.claim_id, v_lot.granted,
        v_lot.spent, v_lot.lapsed, v_lot.refunded, v_lot.repaid, v_lot.expires_at, v_lot.reopened_until,
        v_lot.rolled_from, v_lot.released_at, v_lot.created_at
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
        moved_to = NULL;
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
    -- The subscription is transferred separately, if at all.
    UPDATE wallet.claims AS c SET account_id = p_to, subscriber_id = coalesce(c.subscriber_id, p_from)
    WHERE c.claim_id = v_lot.claim_id;
END;
$$;
COMMENT ON FUNCTION wallet.move_lot(BIGINT, BIGINT, UUID) IS 'Moves one lot to another account.';
