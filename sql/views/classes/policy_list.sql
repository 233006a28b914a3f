-- The current terms of each policy.
CREATE VIEW wallet.policy_list AS
SELECT
    t.policy_id,
    t.name,
    t.free_minutes_before,
    t.late_cancel_fee,
    t.late_cancel_strike,
    t.no_show_fee,
    t.no_show_strike,
    t.strikes_allowed,
    t.strike_days,
    t.block_days,
    t.check_in_minutes_before,
    t.check_in_minutes_after
FROM wallet.policies AS p
INNER JOIN wallet.policy_terms AS t ON p.terms_id = t.terms_id;
COMMENT ON VIEW wallet.policy_list IS 'The current terms of each policy.';
