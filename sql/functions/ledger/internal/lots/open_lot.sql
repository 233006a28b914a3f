-- Creates a lot of an amount above 0, posts the grant, and repays the wallet's debts in its unit, the oldest first. A
-- purchase may be released before it is granted; its lot is then released from the start. The caller holds the wallet's
-- row.
-- Locks: no others. Codes: WL503 wallet-busy if the account was merged into another meanwhile, or if it was deleted and
-- the lot is a gift or an adjustment; on retry, the caller finds the current account.
CREATE OR REPLACE FUNCTION wallet.open_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_kind TEXT,
    p_unit wallet.unit,
    p_source TEXT,
    p_amount BIGINT,
    p_expires_at TIMESTAMPTZ,
    p_product_id TEXT,
    p_claim_id BIGINT,
    p_actor TEXT DEFAULT NULL,
    p_reason TEXT DEFAULT NULL
) RETURNS UUID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot_id CONSTANT UUID := wallet.new_id();
BEGIN
    IF EXISTS (
        SELECT FROM wallet.accounts AS a
        WHERE
            a.account_id = p_account_id AND (
                a.merged_into IS NOT NULL
                -- Purchases are kept for a user who proves them, but a gift to a deleted account would have no owner.
                OR (a.deleted_at IS NOT NULL AND p_source IN ('promo', 'adjustment'))
            )
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    INSERT INTO wallet.lots (
        account_id, lot_id, environment, unit, source, product_id, claim_id, granted, expires_at, released_at,
        created_at
    ) VALUES (
        p_account_id, v_lot_id, p_environment, p_unit, p_source, p_product_id, p_claim_id, 0, p_expires_at,
        (SELECT c.released_at FROM wallet.claims AS c WHERE c.claim_id = p_claim_id), wallet.now()
    );
    PERFORM wallet.post_lot(
        p_account_id, p_environment, v_lot_id, p_kind, p_granted => p_amount, p_claim_id => p_claim_id,
        p_actor => p_actor, p_reason => p_reason
    );
    IF p_expires_at < 'infinity' THEN
        PERFORM wallet.lapse_lot(p_account_id, p_environment, v_lot_id);
    END IF;
    PERFORM wallet.repay_debts(p_account_id, p_environment, v_lot_id);
    RETURN v_lot_id;
END;
$$;
COMMENT ON FUNCTION wallet.open_lot(
    BIGINT, wallet.environment, TEXT, wallet.unit, TEXT, BIGINT, TIMESTAMPTZ, TEXT, BIGINT, TEXT, TEXT
) IS 'Creates a lot, posts the grant and repays debts from it; returns the lot''s id.';
