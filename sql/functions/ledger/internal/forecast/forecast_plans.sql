-- Returns the subscriptions of a wallet that give access, with the amount that each grants when it renews. A
-- subscription in its grace period has missed a renewal, so no further renewal is expected. The same holds for one that
-- will not renew.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.forecast_plans(p_account_id BIGINT, p_environment wallet.environment)
RETURNS wallet.forecast_plan[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT coalesce(array_agg(ROW(
        s.subscription_id, t.current_claim_id, p, CASE
            WHEN p.grant_source = 'virtual_currency' THEN coalesce(c.reported_amount, 0)
            WHEN p.unlimited THEN 0
            WHEN c.billing_periods IS NOT NULL THEN coalesce(p.commitment_amount, p.amount + p.bonus) * c.quantity
            ELSE (p.amount + p.bonus) * c.quantity
        END, s.period_end, 0, s.period_end,
        CASE WHEN t.ended = 'expired' THEN s.period_end ELSE s.access_ends_at END,
        s.will_renew AND s.status IN ('trial', 'active') AND t.ended IS NULL AND NOT t.paused,
        s.will_renew, s.unlimited, s.rollover_percentage, c.billing_period, c.billing_periods,
        -- The same rule as in wallet.grant_claim.
        c.billing_periods IS NOT NULL AND p.grant_source <> 'virtual_currency'
        AND (p.commitment_amount IS NOT NULL OR p.period::INTERVAL > INTERVAL '1 month'),
        coalesce(wallet.period_flag(c.claim_id, 'commitment_renews')::BOOLEAN, TRUE)
    )::wallet.forecast_plan ORDER BY s.subscription_id), '{}')
    FROM wallet.subscription_states AS s
    INNER JOIN wallet.subscriptions AS t ON s.account_id = t.account_id AND s.subscription_id = t.subscription_id
    INNER JOIN wallet.claims AS c ON t.current_claim_id = c.claim_id
    INNER JOIN wallet.products AS p ON s.product_id = p.product_id
    WHERE s.account_id = p_account_id AND s.environment = p_environment AND s.has_access;
$$;
COMMENT ON FUNCTION wallet.forecast_plans(BIGINT, wallet.environment) IS
'Returns the subscriptions of a wallet that give access, with the amount that each grants when it renews.';
