-- The credits and visits owed to users, by month and product: how the sum of all wallets developed, from the daily
-- sums.
CREATE VIEW admin.deferred_revenue AS
WITH flows AS (
    SELECT
        date_trunc('month', k.day)::DATE AS month,
        k.environment,
        k.unit,
        k.source,
        k.product_id,
        k.currency,
        f.flow,
        sum(k.amount) AS amount,
        sum(k.value_minor) AS value_minor
    FROM wallet.daily_sums AS k
    CROSS JOIN LATERAL (
        SELECT CASE
            WHEN k.kind = 'grant' THEN 'sold'
            WHEN k.kind IN ('adjust', 'import') THEN 'given'
            WHEN k.kind = 'rollover' THEN 'rolled'
            WHEN k.kind IN ('transfer_in', 'transfer_out') THEN 'moved'
            WHEN k.kind IN ('lapse', 'reopen') THEN 'lapsed'
            WHEN k.kind IN ('refund', 'refund_reversal') THEN 'refunded'
            ELSE 'used'
        END AS flow
    ) AS f
    GROUP BY date_trunc('month', k.day), k.environment, k.unit, k.source, k.product_id, k.currency, f.flow
),

-- A product has a row in every month from its first one, even without movements.
months AS (
    SELECT g.*, m.month::DATE AS month
    FROM (
        SELECT f.environment, f.unit, f.source, f.product_id, f.currency, min(f.month) AS first_month
        FROM flows AS f
        GROUP BY f.environment, f.unit, f.source, f.product_id, f.currency
    ) AS g
    CROSS JOIN LATERAL generate_series(
        g.first_month::TIMESTAMP,
        date_trunc('month', (SELECT wallet.now()) AT TIME ZONE (SELECT wallet.studio_time_zone())),
        INTERVAL '1 month'
    ) AS m (month)
),

sums AS (
    SELECT
        m.month,
        m.environment,
        m.unit,
        m.source,
        m.product_id,
        m.currency,
        coalesce(sum(f.amount) FILTER (WHERE f.flow = 'sold'), 0) AS sold,
        coalesce(sum(f.amount) FILTER (WHERE f.flow = 'given'), 0) AS given,
        coalesce(sum(f.amount) FILTER (WHERE f.flow = 'rolled'), 0) AS rolled,
        coalesce(sum(f.amount) FILTER (WHERE f.flow = 'moved'), 0) AS moved,
        -coalesce(sum(f.amount) FILTER (WHERE f.flow = 'used'), 0) AS used,
        -coalesce(sum(f.amount) FILTER (WHERE f.flow = 'lapsed'), 0) AS lapsed,
        -coalesce(sum(f.amount) FILTER (WHERE f.flow = 'refunded'), 0) AS refunded,
        coalesce(sum(f.amount), 0) AS net,
        coalesce(sum(f.value_minor) FILTER (WHERE f.flow = 'sold'), 0) AS sold_minor,
        coalesce(sum(f.value_minor) FILTER (WHERE f.flow IN ('given', 'rolled', 'moved')), 0) AS other_minor,
        -coalesce(sum(f.value_minor) FILTER (WHERE f.flow = 'used'), 0) AS used_minor,
        -coalesce(sum(f.value_minor) FILTER (WHERE f.flow = 'lapsed'), 0) AS lapsed_minor,
        -coalesce(sum(f.value_minor) FILTER (WHERE f.flow = 'refunded'), 0) AS refunded_minor,
        coalesce(sum(f.value_minor), 0) AS net_minor
    FROM months AS m
    LEFT JOIN flows AS f
        ON
            m.month = f.month AND m.environment = f.environment AND m.unit = f.unit AND m.source = f.source
            AND m.product_id = f.product_id AND m.currency = f.currency
    GROUP BY m.month, m.environment, m.unit, m.source, m.product_id, m.currency
)

SELECT
    s.month,
    s.environment,
    s.unit,
    nullif(s.source, '') AS source,
    nullif(s.product_id, '') AS product_id,
    sum(s.net) OVER behind - s.net AS opening,
    s.sold,
    s.given,
    s.rolled,
    s.moved,
    s.used,
    s.lapsed,
    s.refunded,
    sum(s.net) OVER behind AS closing,
    nullif(s.currency, '') AS currency,
    round(sum(s.net_minor) OVER behind - s.net_minor, 2) AS opening_minor,
    round(s.sold_minor, 2) AS sold_minor,
    round(s.other_minor, 2) AS other_minor,
    round(s.used_minor, 2) AS used_minor,
    round(s.lapsed_minor, 2) AS lapsed_minor,
    round(s.refunded_minor, 2) AS refunded_minor,
    round(sum(s.net_minor) OVER behind, 2) AS closing_minor
FROM sums AS s
WINDOW behind AS (
    PARTITION BY s.environment, s.unit, s.source, s.product_id, s.currency ORDER BY s.month
);
COMMENT ON VIEW admin.deferred_revenue IS
'Deferred revenue by month: opening + sold + given + rolled + moved - used - lapsed - refunded = closing.';
COMMENT ON COLUMN admin.deferred_revenue.month IS 'First day of the month in the studio''s time zone.';
COMMENT ON COLUMN admin.deferred_revenue.source IS
'pack, pass, plan, rollover (from the previous period of a plan), promo, adjustment, import or fee (owed fees).';
COMMENT ON COLUMN admin.deferred_revenue.opening IS
'The spendable amount at the start of the month: the previous closing.';
COMMENT ON COLUMN admin.deferred_revenue.given IS 'Gifts, adjustments (minus deductions) and imports.';
COMMENT ON COLUMN admin.deferred_revenue.rolled IS
'The amount rolled over from the previous period, where it is counted as lapsed.';
COMMENT ON COLUMN admin.deferred_revenue.moved IS
'Amounts moved from other accounts minus amounts moved to them; 0 in total.';
COMMENT ON COLUMN admin.deferred_revenue.used IS
'Spent by bookings, passes, fees, debits and repaid debts, minus returned amounts.';
COMMENT ON COLUMN admin.deferred_revenue.lapsed IS 'Expired amounts, minus reopened ones.';
COMMENT ON COLUMN admin.deferred_revenue.closing IS
'The spendable amount at the end of the month, as far as the daily sums have been computed.';
COMMENT ON COLUMN admin.deferred_revenue.currency IS
'The currency of the list price; null for amounts that were not sold.';
COMMENT ON COLUMN admin.deferred_revenue.opening_minor IS
'The opening in money: each unit at its share of the purchase''s list price, in the currency''s minor unit.';
COMMENT ON COLUMN admin.deferred_revenue.other_minor IS 'The sum of given, rolled and moved, in money.';

CREATE VIEW admin.movements_daily AS
SELECT
    k.day,
    k.environment,
    k.unit,
    coalesce(sum(k.amount) FILTER (WHERE k.kind IN ('grant', 'adjust', 'import', 'rollover')), 0) AS granted,
    -coalesce(sum(k.amount) FILTER (
        WHERE k.kind IN ('spend', 'return', 'repay', 'repay_return', 'fee', 'fee_return')
    ), 0) AS used,
    -coalesce(sum(k.amount) FILTER (WHERE k.kind IN ('lapse', 'reopen')), 0) AS lapsed,
    -coalesce(sum(k.amount) FILTER (WHERE k.kind IN ('refund', 'refund_reversal')), 0) AS refunded,
    sum(sum(k.amount)) OVER (PARTITION BY k.environment, k.unit ORDER BY k.day) AS outstanding
FROM wallet.daily_sums AS k
GROUP BY k.day, k.environment, k.unit;
COMMENT ON VIEW admin.movements_daily IS 'Amounts granted, used, lapsed and refunded by day, and the spendable amount.';
COMMENT ON COLUMN admin.movements_daily.granted IS
'Purchases, gifts, imports, rollovers, and adjustments in both directions.';
COMMENT ON COLUMN admin.movements_daily.day IS 'The day in the studio''s time zone.';
COMMENT ON COLUMN admin.movements_daily.used IS
'Spent by bookings, passes, fees, debits and repaid debts, minus returned amounts.';
COMMENT ON COLUMN admin.movements_daily.outstanding IS 'The spendable amount at the end of the day: the liability.';

CREATE VIEW admin.seats_daily AS
SELECT
    (c.starts_at AT TIME ZONE z.name)::DATE AS day,
    count(*)::BIGINT AS classes,
    sum(s.capacity)::BIGINT AS capacity,
    sum(s.sold)::BIGINT AS seats_sold
FROM wallet.classes AS c
INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id AND s.environment = 'production'
CROSS JOIN (SELECT (SELECT wallet.studio_time_zone()) AS name) AS z
WHERE c.status = 'scheduled'
GROUP BY (c.starts_at AT TIME ZONE z.name)::DATE;
COMMENT ON VIEW admin.seats_daily IS
'Capacity and sold seats of the classes of each day; cancelled classes are not included.';
COMMENT ON COLUMN admin.seats_daily.day IS 'The day on which the classes begin, in the studio''s time zone.';
COMMENT ON COLUMN admin.seats_daily.seats_sold IS 'Booked seats of production wallets.';
