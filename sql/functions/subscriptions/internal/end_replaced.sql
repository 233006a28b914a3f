-- Ends other subscriptions of the same owner that a period replaced. On Google Play, an upgrade is a new subscription
-- with a new original id, and the old one may have been reported first.
-- The caller holds the claim and the owner's wallet. Locks: those subscriptions' rows. Codes: none.
CREATE OR REPLACE FUNCTION wallet.end_replaced(p_claim wallet.claims) RETURNS VOID LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_replaced RECORD;
BEGIN
    FOR v_replaced IN
        SELECT s.account_id, s.subscription_id, wallet.period_end(c) AS period_end
        FROM wallet.subscriptions AS s
        INNER JOIN wallet.claims AS c ON s.current_claim_id = c.claim_id
        WHERE
            c.account_id = p_claim.account_id AND s.environment = p_claim.environment AND s.store = p_claim.store
            AND s.original_transaction_id <> p_claim.chain_id
            AND s.period_start < p_claim.purchased_at AND s.period_end > p_claim.purchased_at
        ORDER BY s.subscription_id
    LOOP
        UPDATE wallet.subscriptions AS s SET period_end = v_replaced.period_end
        WHERE
            s.account_id = v_replaced.account_id AND s.subscription_id = v_replaced.subscription_id
            AND s.period_end <> v_replaced.period_end;
        IF FOUND THEN
            PERFORM wallet.announce_subscription(v_replaced.subscription_id);
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION wallet.end_replaced(wallet.claims) IS
'Ends other subscriptions of the same owner that a period replaced.';
