-- Revenue, breakage and subscription reports. No report identifies a user, and deleted and merged users stay included.
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
        (s.purchased_at AT TIME ZONE z.name)::DATE AS day,
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
    CROSS JOIN (SELECT (SELECT wallet.studio_time_zone()) AS name) AS z
    UNION ALL
    SELECT
        (coalesce(s.refunded_at, s.purchased_at) AT TIME ZONE z.name)::DATE,
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
    CROSS JOIN (SELECT (SELECT wallet.studio_time_zone()) AS name) AS z
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
'Sales and refunds by day, at list prices; the stores deduct their share, taxes and offers from their payouts.';
COMMENT ON COLUMN admin.revenue_daily.day IS 'The studio''s day of the purchase, or of the refund.';
COMMENT ON COLUMN admin.revenue_daily.store IS 'The store of the purchase: app_store or play_store.';
COMMENT ON COLUMN admin.revenue_daily.currency IS
'The currency of the list price. Do not add amounts in different currencies.';
COMMENT ON COLUMN admin.revenue_daily.purchases IS 'Granted purchases and paid periods of plans.';
COMMENT ON COLUMN admin.revenue_daily.quantity IS 'The total quantity of these purchases.';
COMMENT ON COLUMN admin.revenue_daily.trials IS 'Trial periods that began; they are not purchases and have no revenue.';
COMMENT ON COLUMN admin.revenue_daily.gross_minor IS
'The quantity times the list price at the time of the grant, in the currency''s minor unit.';
COMMENT ON COLUMN admin.revenue_daily.refunds IS 'Purchases refunded on this day, fully or partly.';
COMMENT ON COLUMN admin.revenue_daily.refunded_minor IS 'The refunded share of their price.';
COMMENT ON COLUMN admin.revenue_daily.net_minor IS
'gross_minor minus refunded_minor; negative if refunds exceed sales.';

CREATE VIEW admin.breakage AS
SELECT
    date_trunc('month', l.created_at AT TIME ZONE z.name)::DATE AS month,
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
CROSS JOIN (SELECT (SELECT wallet.studio_time_zone()) AS name) AS z
-- An amount refunded after it had lapsed is counted once, as refunded.
CROSS JOIN LATERAL (
    SELECT least(l.lapsed, greatest(l.granted - l.spent - l.refunded, 0)) AS lapsed
) AS n
-- A moved lot is counted in its current account.
WHERE l.moved_to IS NULL
GROUP BY
    date_trunc('month', l.created_at AT TIME ZONE z.name), l.environment,
    CASE WHEN l.rolled_from IS NULL THEN l.source ELSE 'rollover' END, l.product_id, l.unit;
COMMENT ON VIEW admin.breakage IS
'The use of all grants: granted + owed + repaid = spent + lapsed + refunded + outstanding.';
COMMENT ON COLUMN admin.breakage.month IS 'The first day of the studio''s month of the grant.';
COMMENT ON COLUMN admin.breakage.source IS
'pack, pass, plan, rollover (from the previous period of a plan), promo, adjustment or import.';
COMMENT ON COLUMN admin.breakage.product_id IS 'The product; null for lots that were not bought.';
COMMENT ON COLUMN admin.breakage.spent IS 'Spent by bookings, passes, debits and repaid debts.';
COMMENT ON COLUMN admin.breakage.lapsed IS
'The amount that expired unused and was not refunded, including amounts that rolled over.';
COMMENT ON COLUMN admin.breakage.outstanding IS
'The spendable amount; its sum by environment and unit equals that of all wallets.';
COMMENT ON COLUMN admin.breakage.owed IS 'Refunded amounts that were already spent and are not repaid yet.';
COMMENT ON COLUMN admin.breakage.repaid IS 'Refunded amounts that were already spent and were repaid by later grants.';
COMMENT ON COLUMN admin.breakage.lapsed_percentage IS 'lapsed as a percentage of granted.';

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
        -- A renewal that is charged slightly late is not an expiration.
        AND (p.next_at IS NULL OR p.next_at > p.ends_at + INTERVAL '24 hours')
)

SELECT
    date_trunc('month', h.at AT TIME ZONE z.name)::DATE AS month,
    h.environment,
    h.product_id,
    count(*) FILTER (WHERE h.event = 'start') AS starts,
    count(*) FILTER (WHERE h.event = 'renewal') AS renewals,
    count(*) FILTER (WHERE h.event = 'cancellation') AS cancellations,
    count(*) FILTER (WHERE h.is_trial) AS trials_started,
    count(*) FILTER (WHERE h.event = 'conversion') AS trials_converted,
    count(*) FILTER (WHERE h.event = 'expiration') AS expirations
FROM happened AS h
CROSS JOIN (SELECT (SELECT wallet.studio_time_zone()) AS name) AS z
GROUP BY date_trunc('month', h.at AT TIME ZONE z.name), h.environment, h.product_id;
COMMENT ON VIEW admin.subscription_months IS
'Starts, renewals, cancellations and expirations of subscriptions, by month and plan.';
COMMENT ON COLUMN admin.subscription_months.month IS 'The first day of the month in the studio''s time zone.';
COMMENT ON COLUMN admin.subscription_months.starts IS 'First periods, including trials.';
COMMENT ON COLUMN admin.subscription_months.renewals IS
'Later periods by their own plan, including plan changes and returns; the first period after a trial is not included.';
COMMENT ON COLUMN admin.subscription_months.cancellations IS
'Periods whose renewal was turned off in this month and is still off.';
COMMENT ON COLUMN admin.subscription_months.trials_converted IS 'First paid periods after a trial.';
COMMENT ON COLUMN admin.subscription_months.expirations IS
'Periods that ended, including grace, and were not followed by another within a day, for any reason.';

-- The console's lists read these views. They contain the results of the last wallet.refresh_reports.
CREATE VIEW wallet.revenue_report AS SELECT r.* FROM wallet.revenue_rows AS r;
COMMENT ON VIEW wallet.revenue_report IS 'admin.revenue_daily, as of the last wallet.refresh_reports.';
CREATE VIEW wallet.revenue_months AS
SELECT
    date_trunc('month', r.day::TIMESTAMP)::DATE AS month,
    r.environment,
    r.currency,
    sum(r.purchases)::BIGINT AS purchases,
    sum(r.gross_minor) AS gross_minor,
    sum(r.refunds)::BIGINT AS refunds,
    sum(r.refunded_minor) AS refunded_minor,
    sum(r.net_minor) AS net_minor
FROM wallet.revenue_rows AS r
GROUP BY date_trunc('month', r.day::TIMESTAMP)::DATE, r.environment, r.currency;
COMMENT ON VIEW wallet.revenue_months IS 'The totals of wallet.revenue_report by month and currency.';
CREATE VIEW wallet.breakage_report AS SELECT r.* FROM wallet.breakage_rows AS r;
COMMENT ON VIEW wallet.breakage_report IS 'admin.breakage, as of the last wallet.refresh_reports.';
CREATE VIEW wallet.subscription_report AS SELECT r.* FROM wallet.subscription_rows AS r;
COMMENT ON VIEW wallet.subscription_report IS 'admin.subscription_months, as of the last wallet.refresh_reports.';
