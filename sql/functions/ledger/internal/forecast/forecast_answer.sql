-- Returns the sums of a forecast in the form of wallet.balances.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_answer(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_at TIMESTAMPTZ,
    p_lots wallet.forecast_lot[],
    p_plans wallet.forecast_plan[]
) RETURNS wallet.balance_forecast LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT ROW(
        l.credits, l.visits, p.unlimited, l.owed_credits, l.owed_visits, coalesce((
            SELECT w.version FROM wallet.wallets AS w
            WHERE w.account_id = p_account_id AND w.environment = p_environment
        ), 0), l.lots, (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                'unit', u.unit, 'amount', u.amount, 'expires_at', extract(EPOCH FROM u.expires_at)
            ) ORDER BY u.expires_at, u.unit), '[]')
            FROM (
                SELECT o.unit, o.expires_at, sum(o.remaining)::BIGINT AS amount FROM unnest(p_lots) AS o
                WHERE o.remaining > 0 AND o.expires_at > p_at AND o.expires_at < 'infinity'
                GROUP BY o.unit, o.expires_at
            ) AS u
        ), p.next_rollover_at, p_at
    )::wallet.balance_forecast
    FROM (
        SELECT
            coalesce(sum(o.remaining) FILTER (WHERE o.unit = 'credit' AND o.expires_at > p_at), 0)::BIGINT AS credits,
            coalesce(sum(o.remaining) FILTER (WHERE o.unit = 'visit' AND o.expires_at > p_at), 0)::BIGINT AS visits,
            coalesce(sum(o.owed) FILTER (WHERE o.unit = 'credit'), 0)::BIGINT AS owed_credits,
            coalesce(sum(o.owed) FILTER (WHERE o.unit = 'visit'), 0)::BIGINT AS owed_visits,
            coalesce(jsonb_agg(jsonb_build_object(
                'lot_id', o.lot_id, 'unit', o.unit, 'source', o.source, 'product_id', o.product_id,
                'granted', o.granted, 'remaining', o.remaining,
                'expires_at', extract(EPOCH FROM nullif(o.expires_at, 'infinity'))
            ) ORDER BY o.unit DESC, o.expires_at, o.lot_id) FILTER (
                WHERE o.remaining > 0 AND o.expires_at > p_at
            ), '[]') AS lots
        FROM unnest(p_lots) AS o
    ) AS l
    CROSS JOIN (
        SELECT
            coalesce(bool_or(o.unlimited AND o.access_ends_at > p_at), FALSE) AS unlimited,
            min(o.period_ends_at) FILTER (
                WHERE o.access_ends_at > p_at AND o.will_renew AND o.rollover_percentage > 0
            ) AS next_rollover_at
        FROM unnest(p_plans) AS o
    ) AS p;
$$;
COMMENT ON FUNCTION wallet.forecast_answer(
    BIGINT, wallet.environment, TIMESTAMPTZ, wallet.forecast_lot[], wallet.forecast_plan[]
) IS 'Returns the sums of a forecast in the form of wallet.balances.';
