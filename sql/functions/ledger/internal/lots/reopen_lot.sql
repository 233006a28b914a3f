-- Reopens an expired lot for its product's days of grace, because the studio's change is about to return an amount to
-- it (rule 21). A lot reopens once: reopened_until never changes, and lapsed amounts stay lapsed. Gifts, adjustments
-- and imports of a deleted user stay expired.
-- p_at: when the change reached the member, so that all lots that it reopens end together.
-- Locks: no others; the caller holds the wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.reopen_lot(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_lot_id UUID,
    p_at TIMESTAMPTZ
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
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
    PERFORM wallet.lapse_lot(p_account_id, p_environment, p_lot_id);
    v_until := p_at + make_interval(hours => 24 * coalesce((
        SELECT c.grace_days FROM wallet.claims AS c WHERE c.claim_id = coalesce(v_lot.claim_id, v_lot.rolled_from)
    ), 7));
    UPDATE wallet.lots AS l SET expires_at = v_until, reopened_until = v_until
    WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id;
END;
$$;
COMMENT ON FUNCTION wallet.reopen_lot(BIGINT, wallet.environment, UUID, TIMESTAMPTZ) IS
'Reopens an expired lot for its product''s days of grace, once.';
