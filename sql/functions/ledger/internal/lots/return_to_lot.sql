-- Reduces the spent amount of a lot. If the lot has expired meanwhile, the returned amount lapses immediately.
-- p_reopened_at: when the studio cancelled or moved the class, otherwise null; an expired lot is then reopened, once,
-- for the returned amount; see wallet.reopen_lot.
-- Locks: no others. Codes: none.
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
        PERFORM wallet.reopen_lot(p_account_id, p_environment, p_lot_id, p_reopened_at);
    END IF;
    PERFORM wallet.post_lot(
        p_account_id, p_environment, p_lot_id, p_kind, p_spent => -p_amount, p_booking_id => p_booking_id
    );
    PERFORM wallet.lapse_lot(p_account_id, p_environment, p_lot_id, p_booking_id);
    -- The rollover from a refunded period depends on its spent amount, even if nothing is left to lapse.
    PERFORM wallet.roll_over(l.claim_id) FROM wallet.lots AS l
    WHERE
        l.account_id = p_account_id AND l.lot_id = p_lot_id AND l.source = 'plan' AND l.claim_id IS NOT NULL
        AND l.refunded > 0;
END;
$$;
COMMENT ON FUNCTION wallet.return_to_lot(BIGINT, wallet.environment, UUID, TEXT, BIGINT, UUID, TIMESTAMPTZ) IS
'Reduces the spent amount of a lot; the returned amount lapses if the lot has expired and is not reopened.';
