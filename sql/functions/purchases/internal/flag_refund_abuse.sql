-- Raises a review flag when an account, or the user's copy of the app, has had three refunds in 180 days. Refunded
-- products of one purchase count as one refund. The flag itself has no effect: an operator may use it to block further
-- grants and bookings.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.flag_refund_abuse(
    p_claim wallet.claims
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_since CONSTANT TIMESTAMPTZ := wallet.now() - make_interval(hours => 24 * 180);
    v_flag RECORD;
BEGIN
    IF p_claim.refunded_millionths = 0 OR p_claim.duplicate_of IS NOT NULL OR p_claim.refunded_at <= v_since THEN
        RETURN;
    END IF;
    FOR v_flag IN
        SELECT
            NULL::TEXT AS app_transaction_id,
            count(DISTINCT (c.store, coalesce(c.transaction_id, c.order_id, c.claim_id::TEXT)))::INTEGER AS refunds,
            max(c.refunded_at) AS newest
        FROM wallet.claims AS c
        WHERE
            c.account_id = p_claim.account_id AND c.environment = p_claim.environment
            AND c.refunded_millionths > 0 AND c.refunded_at > v_since AND c.duplicate_of IS NULL
        UNION ALL
        SELECT
            p_claim.app_transaction_id,
            count(DISTINCT (c.store, coalesce(c.transaction_id, c.order_id, c.claim_id::TEXT)))::INTEGER,
            max(c.refunded_at)
        FROM wallet.claims AS c
        WHERE
            c.app_transaction_id = p_claim.app_transaction_id AND c.environment = p_claim.environment
            AND c.refunded_millionths > 0 AND c.refunded_at > v_since AND c.duplicate_of IS NULL
    LOOP
        CONTINUE WHEN v_flag.refunds < 3 OR EXISTS (
            -- After an operator has resolved a flag, only a newer refund raises another one.
            SELECT FROM wallet.review_flags AS f
            WHERE
                f.account_id = p_claim.account_id AND f.environment = p_claim.environment
                AND f.app_transaction_id IS NOT DISTINCT FROM v_flag.app_transaction_id
                AND (f.resolved_at IS NULL OR f.refunds >= v_flag.refunds AND f.raised_at >= v_flag.newest)
        );
        INSERT INTO wallet.review_flags (account_id, environment, app_transaction_id, refunds, raised_at)
        VALUES (
            p_claim.account_id, p_claim.environment, v_flag.app_transaction_id, v_flag.refunds, wallet.now()
        );
        PERFORM wallet.emit(
            'review_flag.raised', p_claim.account_id, p_claim.environment, p_claim.claim_id,
            p_details => jsonb_build_object('refunds', v_flag.refunds, 'by', CASE
                WHEN v_flag.app_transaction_id IS NULL THEN 'account' ELSE 'app_transaction_id'
            END)
        );
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.flag_refund_abuse(wallet.claims) IS 'Raises a review flag at the third refund in 180 days.';
