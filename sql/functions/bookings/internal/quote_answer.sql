-- Returns the answer to a quote: the price, the lots that would pay, and the balance afterwards. The balance excludes
-- expired lots, which a booking would first post as lapsed.
-- p_credits, p_visits, p_version: the wallet after the earlier items; null if the wallet does not exist yet.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.quote_answer(
    p_item wallet.batch_item,
    p_plan wallet.booking_plan,
    p_credits BIGINT,
    p_visits BIGINT,
    p_version BIGINT,
    p_now TIMESTAMPTZ
) RETURNS wallet.booking_outcome LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.booking_outcome;
BEGIN
    v_outcome.status := 200;
    v_outcome.replayed := FALSE;
    v_outcome.unit := p_plan.unit;
    v_outcome.amount := p_plan.amount;
    v_outcome.lot_ids := p_plan.lot_ids;
    v_outcome.lot_amounts := p_plan.amounts;
    SELECT
        coalesce(p_credits, 0) - coalesce(sum(l.remaining) FILTER (WHERE l.unit = 'credit'), 0),
        coalesce(p_visits, 0) - coalesce(sum(l.remaining) FILTER (WHERE l.unit = 'visit'), 0),
        coalesce(p_version, 0) + greatest(cardinality(p_plan.lot_ids), 1) + count(*)
    INTO v_outcome.credits, v_outcome.visits, v_outcome.version
    FROM wallet.lots AS l
    WHERE
        l.account_id = p_item.account_id AND l.environment = p_item.environment AND l.is_open AND l.expires_at <= p_now;
    v_outcome.credits := v_outcome.credits - CASE p_plan.unit WHEN 'credit' THEN p_plan.amount ELSE 0 END;
    v_outcome.visits := v_outcome.visits - CASE p_plan.unit WHEN 'visit' THEN p_plan.amount ELSE 0 END;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.quote_answer(
    wallet.batch_item, wallet.booking_plan, BIGINT, BIGINT, BIGINT, TIMESTAMPTZ
) IS 'Returns the answer to a quote: the effect of booking.';
