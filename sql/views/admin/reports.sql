-- What was earned, what nobody used, and how subscriptions come and go. No report names a user; deleted and merged ones
-- stay in all of them.
CREATE VIEW admin.revenue_daily AS
WITH sold AS (
    SELECT
        c.*,
        c AS claim,
        coalesce(c.period_type = 'trial', FALSE) AS is_trial,
        CASE WHEN c.period_type = 'trial' THEN 0 ELSE coalesce(c.price_minor, 0)::NUMERIC * c.quantity END AS gross
    FROM wallet.claims AS c
    WHERE c.granted_at IS NOT NULL AND c.duplicate_of IS NULL AND c.ownership = 'purchased'
),

moved AS (
    SELECT
        (s.purchased_at AT TIME ZONE 'UTC')::DATE AS day,
        s.environment,
        s.store,
        s.product_id,
        s.currency,
        (NOT s.is_trial)::INTEGER AS purchases,
        CASE WHEN s.is_trial THEN 0 ELSE s.quantity END AS quantity,
        s.is_trial::INTEGER AS trials,
        s.gross,
        0 AS refunds,
        0 AS refunded
    FROM sold AS s
    UNION ALL
    SELECT
        (coalesce(s.refunded_at, s.purchased_at) AT TIME ZONE 'UTC')::DATE,
        s.environment,
        s.store,
        s.product_id,
        s.currency,
        0,
        0,
        0,
        0,
        1,
        wallet.refunded_part(s.claim, s.gross::BIGINT)
    FROM sold AS s
    WHERE s.refunded_millionths > 0 AND NOT s.is_trial
)

SELECT
    m.day,
    m.environment,
    m.store,
    m.product_id,
    m.currency,
    sum(m.purchases)::BIGINT AS purchases,
    sum(m.quantity)::BIGINT AS quantity,
    sum(m.trials)::BIGINT AS trials,
    sum(m.gross) AS gross_minor,
    sum(m.refunds)::BIGINT AS refunds,
    sum(m.refunded) AS refunded_minor,
    sum(m.gross - m.refunded) AS net_minor
FROM moved AS m
GROUP BY m.day, m.environment, m.store, m.product_id, m.currency;
COMMENT ON VIEW admin.revenue_daily IS
'Sales and refunds by day, at list prices: what the stores pay out is less their share, taxes and offers.';
COMMENT ON COLUMN admin.revenue_daily.day IS 'UTC day of the purchase, or of the refund.';
COMMENT ON COLUMN admin.revenue_daily.store IS 'Where it was sold: app_store or play_store.';
COMMENT ON COLUMN admin.revenue_daily.currency IS 'Of the list price. Amounts in different currencies do not add up.';
COMMENT ON COLUMN admin.revenue_daily.purchases IS 'Purchases and paid periods of plans that were granted.';
COMMENT ON COLUMN admin.revenue_daily.quantity IS 'Pieces in these purchases.';
COMMENT ON COLUMN admin.revenue_daily.trials IS 'Trial periods begun; they are no purchases and earn nothing.';
COMMENT ON COLUMN admin.revenue_daily.gross_minor IS
'Pieces times the list price at the time of the grant, in the currency''s minor unit.';
COMMENT ON COLUMN admin.revenue_daily.refunds IS 'Purchases refunded on this day, in whole or in part.';
COMMENT ON COLUMN admin.revenue_daily.refunded_minor IS 'The refunded share of what they had cost.';
COMMENT ON COLUMN admin.revenue_daily.net_minor IS
'gross_minor less refunded_minor; negative where refunds exceed sales.';

CREATE VIEW admin.breakage AS
SELECT
    date_trunc('month', l.created_at AT TIME ZONE 'UTC')::DATE AS month,
    l.environment,
    CASE WHEN l.rolled_from IS NULL THEN l.source ELSE 'rollover' END AS source,
    l.product_id,
    l.unit,
    count(*)::BIGINT AS lots,
    sum(l.granted) AS granted,
    sum(l.spent) AS spent,
    sum(n.lapsed) AS lapsed,
    sum(l.refunded) AS refunded,
    sum(l.remaining) AS outstanding,
    sum(l.owed) AS owed,
    sum(l.repaid) AS repaid,
    round(100 * sum(n.lapsed) / nullif(sum(l.granted), 0), 2) AS lapsed_percentage
FROM wallet.lots AS l
-- What was refunded after it had lapsed is refunded, and counts once.
CROSS JOIN LATERAL (
    SELECT least(l.lapsed, greatest(l.granted - l.spent - l.refunded, 0)) AS lapsed
) AS n
-- A lot that moved is counted where it is.
WHERE l.moved_to IS NULL
GROUP BY
    date_trunc('month', l.created_at AT TIME ZONE 'UTC'), l.environment,
    CASE WHEN l.rolled_from IS NULL THEN l.source ELSE 'rollover' END, l.product_id, l.unit;
COMMENT ON VIEW admin.breakage IS
'What became of all that was granted: granted + owed + repaid = spent + lapsed + refunded + outstanding.';
COMMENT ON COLUMN admin.breakage.month IS 'First day of the UTC month in which it was granted.';
COMMENT ON COLUMN admin.breakage.source IS
'pack, pass, plan, rollover (what a period of a plan left the next one), promo, adjustment or import.';
COMMENT ON COLUMN admin.breakage.product_id IS 'Null for what was not bought.';
COMMENT ON COLUMN admin.breakage.spent IS 'What bookings, passes, debits and repaid debts have taken of it.';
COMMENT ON COLUMN admin.breakage.lapsed IS
'What expired unused and was not refunded, what rolled over of it included.';
COMMENT ON COLUMN admin.breakage.outstanding IS
'What can still be spent; its sum by environment and unit is that of all wallets.';
COMMENT ON COLUMN admin.breakage.owed IS 'What was refunded although it was spent, and is not repaid.';
COMMENT ON COLUMN admin.breakage.repaid IS 'What was refunded although it was spent, and later grants have repaid.';
COMMENT ON COLUMN admin.breakage.lapsed_percentage IS 'lapsed in percent of granted.';

CREATE VIEW admin.subscription_months AS
WITH happened AS (
    SELECT
        p.environment,
        p.product_id,
        p.purchased_at AS at,
        CASE WHEN p.is_first THEN 'start' WHEN p.is_after_trial AND NOT p.is_trial THEN 'conversion' ELSE 'renewal' END
            AS event,
        p.is_first AND p.is_trial AS is_trial
    FROM wallet.plan_periods AS p
    UNION ALL
    SELECT p.environment, p.product_id, f.source_at, 'cancellation', FALSE
    FROM wallet.plan_periods AS p
    INNER JOIN wallet.period_flags AS f ON p.claim_id = f.claim_id
    WHERE f.flag = 'will_renew' AND f.value = 'false' AND f.source_at > '-infinity'
    UNION ALL
    SELECT p.environment, p.product_id, p.ends_at, 'expiration', FALSE
    FROM wallet.plan_periods AS p
    WHERE
        p.ends_at <= (SELECT wallet.now())
        -- A charge that is a little late ends nothing.
        AND (p.next_at IS NULL OR p.next_at > p.ends_at + INTERVAL '24 hours')
)

SELECT
    date_trunc('month', h.at AT TIME ZONE 'UTC')::DATE AS month,
    h.environment,
    h.product_id,
    count(*) FILTER (WHERE h.event = 'start') AS starts,
    count(*) FILTER (WHERE h.event = 'renewal') AS renewals,
    count(*) FILTER (WHERE h.event = 'cancellation') AS cancellations,
    count(*) FILTER (WHERE h.is_trial) AS trials_started,
    count(*) FILTER (WHERE h.event = 'conversion') AS trials_converted,
    count(*) FILTER (WHERE h.event = 'expiration') AS expirations
FROM happened AS h
GROUP BY date_trunc('month', h.at AT TIME ZONE 'UTC'), h.environment, h.product_id;
COMMENT ON VIEW admin.subscription_months IS 'How subscriptions come, stay and go, by month and plan.';
COMMENT ON COLUMN admin.subscription_months.month IS 'First day of the UTC month in which it happened.';
COMMENT ON COLUMN admin.subscription_months.starts IS 'First periods, trials included.';
COMMENT ON COLUMN admin.subscription_months.renewals IS
'Later periods, under their own plan, changes of the plan and returns included; not the first after a trial.';
COMMENT ON COLUMN admin.subscription_months.cancellations IS
'Periods whose renewal was turned off in this month and has stayed off.';
COMMENT ON COLUMN admin.subscription_months.trials_converted IS 'First paid periods after a trial.';
COMMENT ON COLUMN admin.subscription_months.expirations IS
'Periods that ended, grace included, without another within a day, for whatever reason.';

-- What the lists of operators read: the same as they were when wallet.refresh_reports made them last.
CREATE VIEW wallet.revenue_report AS SELECT r.* FROM wallet.revenue_rows AS r;
COMMENT ON VIEW wallet.revenue_report IS 'admin.revenue_daily, as wallet.refresh_reports found it last.';
CREATE VIEW wallet.breakage_report AS SELECT r.* FROM wallet.breakage_rows AS r;
COMMENT ON VIEW wallet.breakage_report IS 'admin.breakage, as wallet.refresh_reports found it last.';
CREATE VIEW wallet.subscription_report AS SELECT r.* FROM wallet.subscription_rows AS r;
COMMENT ON VIEW wallet.subscription_report IS 'admin.subscription_months, as wallet.refresh_reports found it last.';
