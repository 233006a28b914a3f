-- Gives an expired lot its product's days of grace, for what a studio's change is about to return to it (rule 21). A
-- lot has them once: reopened_until never moves, and what had lapsed stays lapsed. What a deleted user was given stays
-- expired.
-- p_at: when the change reached the member, so that all lots that it opens end together.
-- Locks: none of its own; the caller holds the wallet. Codes: none.
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
    -- What expired since the wallet was locked lapses first, or it would be opened along.
    PERFORM wallet.lapse_lot(p_account_id, p_environment, p_lot_id);
    v_until := p_at + make_interval(hours => 24 * coalesce((
        SELECT c.grace_days FROM wallet.claims AS c WHERE c.claim_id = coalesce(v_lot.claim_id, v_lot.rolled_from)
    ), 7));
    UPDATE wallet.lots AS l SET expires_at = v_until, reopened_until = v_until
    WHERE l.account_id = p_account_id AND l.lot_id = p_lot_id;
END;
$$;
COMMENT ON FUNCTION wallet.reopen_lot(BIGINT, wallet.environment, UUID, TIMESTAMPTZ) IS
'Gives an expired lot its product''s days of grace, once.';
