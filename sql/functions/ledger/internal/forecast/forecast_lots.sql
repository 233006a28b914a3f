-- Returns the lots of a wallet that matter for a forecast: open lots, lots with a debt, and lots of plan periods that
-- may still roll over when the next period begins.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_lots(p_account_id BIGINT, p_environment wallet.environment)
RETURNS wallet.forecast_lot[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(ROW(
        l.lot_id, l.unit, l.source, l.product_id, l.granted, l.spent, l.refunded, l.remaining, l.owed, l.expires_at,
        l.released_at IS NOT NULL, c.claim_id, c.rollover_percentage, c.rollover_cap, c.expires_at, n,
        CASE WHEN n.account_id = l.account_id THEN wallet.period_end(n) END, n.product_id
    )::wallet.forecast_lot ORDER BY l.lot_id), '{}')
    FROM wallet.lots AS l
    LEFT JOIN wallet.claims AS c
        ON
            l.source = 'plan' AND l.claim_id = c.claim_id
            AND NOT EXISTS (SELECT FROM wallet.lots AS r WHERE r.rolled_from = c.claim_id)
    LEFT JOIN LATERAL wallet.period_after(c) AS n ON TRUE
    WHERE
        l.account_id = p_account_id AND l.environment = p_environment
        AND (l.is_open OR l.owed > 0 OR EXISTS (
            SELECT FROM wallet.subscriptions AS s
            WHERE s.account_id = p_account_id AND s.current_claim_id = l.claim_id
        ));
$$;
COMMENT ON FUNCTION wallet.forecast_lots(BIGINT, wallet.environment) IS
'Returns the lots of a wallet that matter for a forecast.';
