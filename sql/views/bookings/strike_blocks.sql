-- The blocks that strikes cause. A strike blocks bookings if the member has more strikes than its terms allow within
-- their days, counted back from this strike. Withdrawn strikes do not count. A block begins at the strike that is one
-- too many; a day has 24 hours.
CREATE VIEW wallet.strike_blocks AS
SELECT
    c.account_id,
    c.environment,
    c.at + make_interval(hours => 24 * t.block_days) AS blocked_until
FROM wallet.consequences AS c
INNER JOIN wallet.policy_terms AS t ON c.terms_id = t.terms_id
WHERE
    c.strike AND c.withdrawn_at IS NULL AND t.strikes_allowed < (
        SELECT count(*) FROM wallet.consequences AS o
        WHERE
            o.account_id = c.account_id AND o.environment = c.environment AND o.strike AND o.withdrawn_at IS NULL
            AND o.at > c.at - make_interval(hours => 24 * t.strike_days) AND o.at <= c.at
    );
COMMENT ON VIEW wallet.strike_blocks IS 'The blocks that strikes cause, past and present.';
