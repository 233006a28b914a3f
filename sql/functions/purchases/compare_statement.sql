-- Returns the change that applying a statement would make, without making it: the statement is applied and undone. The
-- result is null for no difference, otherwise missing_grant, missing_amount, unseen_refund, unseen_reversal or
-- wrong_status.
-- Locks: the locks of wallet.apply_fact, until it returns. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.compare_statement(p_statement JSONB) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_before wallet.claim_summary;
    v_after wallet.claim_summary;
    v_claim_id BIGINT;
    v_difference TEXT;
BEGIN
    BEGIN
        v_claim_id := (wallet.claims_matching(wallet.read_fact(p_statement -> 'fact')))[1];
        v_before := wallet.claim_state(v_claim_id);
        v_claim_id := (wallet.apply_statement(p_statement)).claim_id;
        v_after := wallet.claim_state(v_claim_id);
        v_difference := CASE
            WHEN v_after.granted > 0 AND coalesce(v_before.granted, 0) = 0 AND v_after.refunded_millionths < 1000000
                THEN 'missing_grant'
            WHEN v_after.granted > v_before.granted THEN 'missing_amount'
            WHEN v_after.refunded_millionths > coalesce(v_before.refunded_millionths, 0)
                AND v_after.granted > 0 THEN 'unseen_refund'
            WHEN v_after.refunded_millionths < v_before.refunded_millionths THEN 'unseen_reversal'
            WHEN v_after.status IS DISTINCT FROM v_before.status
                OR v_after.will_renew IS DISTINCT FROM v_before.will_renew
                -- One store reports milliseconds and another truncates them; this is not a difference.
                OR coalesce(
                    abs(extract(EPOCH FROM v_after.period_end - v_before.period_end)) >= 1,
                    v_after.period_end IS DISTINCT FROM v_before.period_end
                ) THEN 'wrong_status'
            ELSE 'none'
        END;
        RAISE EXCEPTION USING ERRCODE = 'WL299', MESSAGE = v_difference;
    EXCEPTION WHEN SQLSTATE 'WL299' THEN
        v_difference := SQLERRM;
    END;
    RETURN nullif(v_difference, 'none');
END;
$$;
COMMENT ON FUNCTION wallet.compare_statement(JSONB) IS
'Returns the change that applying a statement would make, or null; changes nothing.';

-- Returns the state of a claim: its granted amount in all lots, its refunded share, and the state of its subscription.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.claim_state(p_claim_id BIGINT) RETURNS wallet.claim_summary LANGUAGE sql VOLATILE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT
        CASE WHEN c.granted_at IS NULL THEN 0 ELSE greatest((
            SELECT sum(l.granted) FROM wallet.lots AS l WHERE l.claim_id = c.claim_id
        ), 1) END::BIGINT,
        c.refunded_millionths,
        s.status,
        s.will_renew,
        s.period_end
    FROM wallet.claims AS c
    LEFT JOIN wallet.subscription_states AS s
        ON s.store = c.store AND s.environment = c.environment
        AND s.original_transaction_id = c.chain_id
    WHERE c.claim_id = p_claim_id;
$$;
COMMENT ON FUNCTION wallet.claim_state(BIGINT) IS 'Returns the state of a claim and its subscription.';
