-- Reduces the spent amount of a lot. If the lot has expired meanwhile, the returned amount lapses immediately.
-- p_reopened_at: when the studio cancelled or moved the class, otherwise null; an expired lot is then reopened, once,
-- for the returned amount; see wallet.reopen_lot.
-- Locks and codes: see wallet.settle.
CREATE OR REPLACE FUNCTION wallet.return_to_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_id UUID,
    p_kind TEXT,
    p_amount BIGINT,
    p_booking_id UUID,
    p_reopened_at TIMESTAMPTZ DEFAULT NULL
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_reopened_at IS NOT NULL THEN
        PERFORM wallet.reopen_lot(p_account_id, p_lot_id, p_reopened_at);
    END IF;
    PERFORM wallet.post_lot(
        p_account_id, p_environment, p_lot_id, p_kind, p_spent => -p_amount, p_booking_id => p_booking_id
    );
    -- The rollover from a refunded period depends on its spent amount, even if nothing is left to lapse.
    PERFORM wallet.settle(
        p_account_id, p_lot_id, p_rolls => l.source = 'plan' AND l.refunded > 0, p_booking_id => p_booking_id
    ) FROM wallet.lots AS l
    WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id;
END;
$$;
COMMENT ON FUNCTION wallet.return_to_lot(BIGINT, wallet.environment, UUID, TEXT, BIGINT, UUID, TIMESTAMPTZ) IS
'Reduces the spent amount of a lot; the returned amount lapses if the lot has expired and is not reopened.';

-- Reopens an expired lot for its product's days of grace, because the studio's change is about to return an amount to
-- it (rule 21). A lot reopens once: reopened_until never changes, and lapsed amounts stay lapsed. Gifts, adjustments
-- and imports of a deleted user stay expired.
-- p_at: when the change reached the member, so that all lots that it reopens end together.
-- Locks: no others; the caller holds the wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reopen_lot(p_account_id BIGINT, p_lot_id UUID, p_at TIMESTAMPTZ) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_lot wallet.lots;
    v_until TIMESTAMPTZ;
BEGIN
    SELECT l.* INTO v_lot FROM wallet.lots AS l
    WHERE
        l.account_id = p_account_id AND l.lot_id = p_lot_id AND l.expires_at <= wallet.now()
        AND l.reopened_until IS NULL
        AND (l.source IN ('pack', 'pass', 'plan') OR NOT EXISTS (
            SELECT FROM wallet.accounts AS a WHERE a.account_id = p_account_id AND a.deleted_at IS NOT NULL
        ));
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- Amounts that expired since the wallet was locked lapse first; otherwise they would be reopened too.
    PERFORM wallet.settle(p_account_id, p_lot_id, p_returns => FALSE);
    v_until := p_at + make_interval(hours => 24 * coalesce((
        SELECT c.grace_days FROM wallet.claims AS c WHERE c.claim_id = coalesce(v_lot.claim_id, v_lot.rolled_from)
    ), 7));
    UPDATE wallet.lots AS l SET expires_at = v_until, reopened_until = v_until
    WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id;
END;
$$;
COMMENT ON FUNCTION wallet.reopen_lot(BIGINT, UUID, TIMESTAMPTZ) IS
'Reopens an expired lot for its product''s days of grace, once.';
