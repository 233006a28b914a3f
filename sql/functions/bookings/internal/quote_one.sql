-- Tells what booking would do, by the arithmetic of booking itself, and changes nothing: what is due to expire is left
-- out, not posted.
-- Locks: none. Codes: in the answer (see wallet.plan_booking).
CREATE OR REPLACE FUNCTION wallet.quote_one(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_class_id TEXT,
    p_seats INTEGER,
    p_pay_with TEXT,
    p_max_amount BIGINT
) RETURNS wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_plan wallet.booking_plan;
    v_outcome wallet.booking_outcome;
BEGIN
    v_plan := wallet.plan_booking(p_account_id, p_environment, p_class_id, p_seats, p_pay_with, p_max_amount);
    IF v_plan.status IS NOT NULL THEN
        RETURN wallet.refusal(v_plan.status, v_plan.slug, v_plan.detail);
    END IF;
    v_outcome.status := 200;
    v_outcome.replayed := FALSE;
    v_outcome.unit := v_plan.unit;
    v_outcome.amount := v_plan.amount;
    v_outcome.lot_ids := coalesce(v_plan.lot_ids, '{}');
    v_outcome.lot_amounts := coalesce(v_plan.amounts, '{}');
    SELECT b.credits, b.visits, b.version INTO v_outcome.credits, v_outcome.visits, v_outcome.version
    FROM wallet.balances AS b
    WHERE b.account_id = p_account_id AND b.environment = p_environment;
    v_outcome.credits := coalesce(v_outcome.credits, 0) - CASE v_plan.unit WHEN 'credit' THEN v_plan.amount ELSE 0 END;
    v_outcome.visits := coalesce(v_outcome.visits, 0) - CASE v_plan.unit WHEN 'visit' THEN v_plan.amount ELSE 0 END;
    -- Booking would first post each expiry that is due.
    v_outcome.version := coalesce(v_outcome.version, 0) + greatest(cardinality(v_plan.lot_ids), 1) + (
        SELECT count(*) FROM wallet.lots AS l
        WHERE
            l.account_id = p_account_id AND l.environment = p_environment AND l.is_open
            AND l.expires_at <= wallet.now()
    );
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.quote_one(BIGINT, wallet.environment, TEXT, INTEGER, TEXT, BIGINT) IS
'What booking would do, changing nothing.';
