-- Revenue, breakage and subscription reports. No report identifies a user, and deleted and merged users stay included.
CREATE VIEW admin.revenue_daily AS
WITH sold AS (
    SELECT
        c.*,
        c AS claim,
        coalesce(c.period_type = 'trial', FALSE) AS is_trial,
        c.quantity * CASE
            WHEN c.period_type = 'trial' THEN 0
            -- A source without commitments was the first to report this billing period, so it was granted with the
            -- price of the whole commitment.
            WHEN c.grant_amount <> wallet.period_share(c.commitment_amount, c.billing_period, c.billing_periods)
                THEN wallet.period_price(c.price_minor, p.period, c.billing_period, c.billing_periods)::NUMERIC
            ELSE coalesce(c.price_minor, 0)::NUMERIC
        END AS gross
    FROM wallet.claims AS c
    INNER JOIN wallet.products AS p ON c.product_id = p.product_id
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
'The quantity times the list price at the time of the grant, or the billing period''s share of it, in the minor unit.';
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
'pack, pass, plan, rollover (from the previous period of a plan), promo, adjustment, import or fee (owed fees).';
COMMENT ON COLUMN admin.breakage.product_id IS 'The product; null for lots that were not bought.';
COMMENT ON COLUMN admin.breakage.spent IS 'Spent by bookings, passes, fees, debits and repaid debts.';
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
    SELECT p.environment, p.product_id, f.since, 'cancellation', FALSE
    FROM wallet.plan_periods AS p
    INNER JOIN wallet.period_flags AS f ON p.claim_id = f.claim_id
    WHERE f.flag = 'will_renew' AND f.value = 'false' AND f.since > '-infinity'
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

-- Attendance. A booking is counted when it is not cancelled and its class has begun. Each class and each wallet is
-- counted by itself, so that a page of a list reads only its own bookings.
CREATE VIEW admin.attendance_by_class AS
SELECT
    c.class_id,
    s.environment,
    c.title,
    c.starts_at,
    t.bookings,
    t.seats,
    t.attended,
    t.checked_in,
    t.no_shows,
    t.excused,
    t.unmarked,
    round(100.0 * t.no_shows / nullif(t.bookings - t.unmarked, 0), 1) AS no_show_percentage
FROM wallet.classes AS c
INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id
CROSS JOIN LATERAL (
    SELECT
        count(*)::BIGINT AS bookings,
        sum(b.seats)::BIGINT AS seats,
        count(*) FILTER (WHERE a.attendance = 'attended')::BIGINT AS attended,
        count(*) FILTER (WHERE a.checked_in AND a.attendance = 'attended')::BIGINT AS checked_in,
        count(*) FILTER (WHERE a.attendance = 'no_show')::BIGINT AS no_shows,
        count(*) FILTER (WHERE a.attendance = 'excused')::BIGINT AS excused,
        count(*) FILTER (WHERE a.attendance IS NULL)::BIGINT AS unmarked
    FROM wallet.bookings AS b
    LEFT JOIN wallet.attendances AS a ON b.account_id = a.account_id AND b.booking_id = a.booking_id
    WHERE b.class_id = s.class_id AND b.environment = s.environment AND b.cancelled_at IS NULL
) AS t
WHERE c.starts_at <= (SELECT wallet.now()) AND t.bookings > 0;
COMMENT ON VIEW admin.attendance_by_class IS 'The attendance of each class that has begun.';
COMMENT ON COLUMN admin.attendance_by_class.checked_in IS 'The attended bookings that their members checked in.';
COMMENT ON COLUMN admin.attendance_by_class.unmarked IS 'The bookings whose attendance is still to be marked.';
COMMENT ON COLUMN admin.attendance_by_class.no_show_percentage IS 'no_shows as a percentage of all marked bookings.';

CREATE VIEW admin.attendance_by_member AS
SELECT
    i.user_id,
    w.account_id,
    w.environment,
    t.bookings,
    t.attended,
    t.no_shows,
    t.excused,
    t.late_cancels,
    t.last_visit_at,
    round(100.0 * t.no_shows / nullif(t.attended + t.no_shows + t.excused, 0), 1) AS no_show_percentage,
    (
        SELECT count(*)::BIGINT FROM wallet.consequences AS q
        WHERE
            q.account_id = w.account_id AND q.environment = w.environment AND q.strike AND q.withdrawn_at IS NULL
    ) AS strikes,
    CASE WHEN w.blocked_until > n.now THEN w.blocked_until END AS blocked_until
FROM wallet.wallets AS w
-- In the list of columns, the volatile clock would keep PostgreSQL from reading only the wallets of a page.
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS n
CROSS JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE b.cancelled_at IS NULL)::BIGINT AS bookings,
        count(*) FILTER (WHERE a.attendance = 'attended')::BIGINT AS attended,
        count(*) FILTER (WHERE a.attendance = 'no_show')::BIGINT AS no_shows,
        count(*) FILTER (WHERE a.attendance = 'excused')::BIGINT AS excused,
        count(*) FILTER (WHERE b.cancelled_by = 'user' AND b.cancelled_at > b.free_until)::BIGINT AS late_cancels,
        max(c.starts_at) FILTER (WHERE a.attendance = 'attended') AS last_visit_at
    FROM wallet.bookings AS b
    INNER JOIN wallet.classes AS c ON b.class_id = c.class_id AND c.starts_at <= n.now
    LEFT JOIN wallet.attendances AS a ON b.account_id = a.account_id AND b.booking_id = a.booking_id
    WHERE b.account_id = w.account_id AND b.environment = w.environment
) AS t
LEFT JOIN wallet.identities AS i ON w.account_id = i.account_id AND i.merged_at IS NULL
WHERE t.bookings + t.late_cancels > 0;
COMMENT ON VIEW admin.attendance_by_member IS 'The attendance of each member in classes that have begun.';
COMMENT ON COLUMN admin.attendance_by_member.bookings IS 'The bookings that were not cancelled.';
COMMENT ON COLUMN admin.attendance_by_member.no_show_percentage IS 'no_shows as a percentage of all marked bookings.';
COMMENT ON COLUMN admin.attendance_by_member.strikes IS 'All strikes that were not withdrawn, also old ones.';
COMMENT ON COLUMN admin.attendance_by_member.blocked_until IS
'Until when strikes block bookings; null if they do not.';

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
