-- Sets a lot's refunded part: takes the difference away, or returns it.
-- Locks: no others; the caller holds the wallet. Codes: none.
CREATE OR REPLACE FUNCTION wallet.sync_refund(p_lot wallet.lots, p_refunded BIGINT, p_claim_id BIGINT)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_refunded = p_lot.refunded THEN
        RETURN;
    END IF;
    PERFORM wallet.post_lot(
        p_lot.account_id, p_lot.environment, p_lot.lot_id,
        CASE WHEN p_refunded > p_lot.refunded THEN 'refund' ELSE 'refund_reversal' END,
        p_refunded => p_refunded - p_lot.refunded, p_claim_id => p_claim_id
    );
    PERFORM wallet.settle(p_lot.account_id, p_lot.lot_id, p_repays => TRUE);
    PERFORM wallet.emit(
        CASE WHEN p_refunded > p_lot.refunded THEN 'credits.reversed' ELSE 'credits.granted' END,
        p_lot.account_id, p_lot.environment, p_claim_id,
        p_details => jsonb_build_object('lot_id', p_lot.lot_id, 'amount', abs(p_refunded - p_lot.refunded))
    );
END;
$$;
COMMENT ON FUNCTION wallet.sync_refund(wallet.lots, BIGINT, BIGINT) IS
'Sets a lot''s refunded part and posts the difference.';
