-- The entitlements of each account. The subscription with the longest current access decides each; without one, the
-- last subscription.
CREATE VIEW wallet.entitlements AS
SELECT DISTINCT ON (s.account_id, s.environment, e.entitlement)
    s.account_id,
    s.environment,
    e.entitlement,
    s.has_access AS is_active,
    s.access_ends_at AS expires_at,
    s.status = 'trial' AS in_trial,
    CASE WHEN s.status = 'trial' THEN s.period_end END AS trial_ends_at,
    s.status = 'grace' AS in_grace_period,
    s.will_renew AND s.has_access AS will_renew,
    s.store,
    s.product_id
FROM wallet.subscription_states AS s
CROSS JOIN LATERAL unnest(s.entitlements) AS e (entitlement)
ORDER BY s.account_id, s.environment, e.entitlement, s.has_access DESC, s.access_ends_at DESC, s.subscription_id;
COMMENT ON VIEW wallet.entitlements IS 'The entitlements of each account, and when they end.';
