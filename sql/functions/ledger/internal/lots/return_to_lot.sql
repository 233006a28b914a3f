-- Lowers what a lot has spent. If the lot has expired meanwhile, what comes back to it lapses at once.
-- p_reopened_at (the studio cancelled or moved the class): an expired lot is opened again, once, for what comes back;
-- see wallet.reopen_lot.
-- Locks: none of its own. Codes: none.
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
    -- What rolled over from a refunded period goes by what it has spent, also where nothing is left to lapse.
    PERFORM wallet.roll_over(l.claim_id) FROM wallet.lots AS l
    WHERE
        l.account_id = p_account_id AND l.lot_id = p_lot_id AND l.source = 'plan' AND l.claim_id IS NOT NULL
        AND l.refunded > 0;
END;
$$;
COMMENT ON FUNCTION wallet.return_to_lot(BIGINT, wallet.environment, UUID, TEXT, BIGINT, UUID, TIMESTAMPTZ) IS
'Lowers what a lot has spent; what returns to an expired lot lapses at once, unless it is opened again.';
