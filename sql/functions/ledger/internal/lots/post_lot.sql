-- Changes one lot and posts the matching entry: the entry's amount is the change of the remaining amount, its
-- owed_change the change of the debt. Both are computed from the lot, so that lot and ledger always agree. If other
-- lots had repaid more than the debt that is left, the excess returns to them. The caller holds the wallet's row.
-- p_at: a time in the past, as in wallet.post.
-- Locks: no others. Codes: none (the lot's CHECKs refuse invalid values).
CREATE OR REPLACE FUNCTION wallet.post_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_id UUID,
    p_kind TEXT,
    p_granted BIGINT DEFAULT 0,
    p_spent BIGINT DEFAULT 0,
    p_lapsed BIGINT DEFAULT 0,
    p_refunded BIGINT DEFAULT 0,
    p_owed_elsewhere BIGINT DEFAULT 0,
    p_booking_id UUID DEFAULT NULL,
    p_claim_id BIGINT DEFAULT NULL,
    p_actor TEXT DEFAULT NULL,
    p_reason TEXT DEFAULT NULL,
    p_at TIMESTAMPTZ DEFAULT NULL
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old wallet.lots;
    v_new wallet.lots;
    v_posting wallet.posting;
    v_version BIGINT;
BEGIN
    SELECT l.* INTO STRICT v_old FROM wallet.lots AS l WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id;
    UPDATE wallet.lots AS l SET
        granted = l.granted + p_granted,
        spent = l.spent + p_spent,
        lapsed = l.lapsed + p_lapsed,
        refunded = l.refunded + p_refunded,
        repaid = least(
            l.repaid, greatest(l.refunded + p_refunded + l.spent + p_spent - l.granted - p_granted, 0)
        )
    WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id
    RETURNING l.* INTO v_new;
    v_posting.account_id := p_account_id;
    v_posting.environment := p_environment;
    v_posting.kind := p_kind;
    v_posting.unit := v_new.unit;
    v_posting.amount := v_new.remaining - v_old.remaining;
    v_posting.owed_change := v_new.owed - v_old.owed + p_owed_elsewhere;
    v_posting.lot_id := p_lot_id;
    v_posting.booking_id := p_booking_id;
    v_posting.claim_id := p_claim_id;
    v_posting.actor := p_actor;
    v_posting.reason := p_reason;
    v_posting.at := p_at;
    v_version := (wallet.post(ARRAY[v_posting]))[1];
    -- A reopened lot may expire before the wallet's stored next_expiry.
    IF v_new.is_open AND NOT v_old.is_open AND v_new.expires_at < 'infinity' THEN
        UPDATE wallet.wallets AS w SET next_expiry = v_new.expires_at
        WHERE w.account_id = p_account_id AND w.environment = p_environment AND w.next_expiry > v_new.expires_at;
    END IF;
    IF v_new.repaid < v_old.repaid THEN
        PERFORM wallet.return_repayments(p_account_id, p_environment, p_lot_id, v_old.repaid - v_new.repaid);
    END IF;
    RETURN v_version;
END;
$$;
COMMENT ON FUNCTION wallet.post_lot(
    BIGINT, wallet.environment, UUID, TEXT, BIGINT, BIGINT, BIGINT, BIGINT, BIGINT, UUID, BIGINT, TEXT, TEXT,
    TIMESTAMPTZ
) IS 'Changes a lot and posts the matching entry; returns the entry''s version.';
