-- The studio's day: its classes, its sales, and what needs a person. The first page of the console reads these views,
-- so each reads only a few rows of the large tables, along an index.
CREATE VIEW admin.today AS
-- The clock is read once, so that all columns agree at midnight.
WITH clock AS MATERIALIZED (
    SELECT
        n.now,
        n.zone,
        d.day,
        d.day::TIMESTAMP AT TIME ZONE n.zone AS begins_at,
        (d.day + 2)::TIMESTAMP AT TIME ZONE n.zone AS ends_at
    FROM (SELECT (SELECT wallet.now()) AS now, (SELECT wallet.studio_time_zone()) AS zone) AS n
    CROSS JOIN LATERAL (SELECT (n.now AT TIME ZONE n.zone)::DATE AS day) AS d
)

SELECT
    c.class_id,
    (c.starts_at AT TIME ZONE t.zone)::DATE AS day,
    (c.starts_at AT TIME ZONE t.zone)::DATE = t.day AS is_today,
    c.title,
    c.starts_at,
    c.ends_at,
    wallet.studio_time(c.starts_at) AS starts_local,
    c.status,
    s.capacity::NUMERIC AS capacity,
    s.sold::INTEGER AS seats_sold,
    (
        SELECT count(*)::INTEGER FROM wallet.waitlist AS w
        WHERE w.class_id = s.class_id AND w.environment = s.environment
    ) AS waiting,
    -- wallet.mark_attendance accepts marks from this time on.
    CASE WHEN c.status = 'scheduled' AND c.starts_at - INTERVAL '60 minutes' <= t.now THEN (
        SELECT count(*)::INTEGER FROM wallet.bookings AS b
        WHERE
            b.class_id = s.class_id AND b.environment = s.environment AND b.cancelled_at IS NULL
            AND NOT EXISTS (
                SELECT FROM wallet.attendances AS a
                WHERE a.account_id = b.account_id AND a.booking_id = b.booking_id
            )
    ) END AS unmarked
FROM clock AS t
CROSS JOIN wallet.classes AS c
-- With the limit, PostgreSQL looks up the seats of each class instead of reading those of all classes.
CROSS JOIN LATERAL (
    SELECT o.class_id, o.environment, o.capacity, o.sold FROM wallet.class_seats AS o
    WHERE o.class_id = c.class_id AND o.environment = 'production'
    ORDER BY o.class_id
    LIMIT 1
) AS s
-- As scalars, the limits are conditions of the index.
WHERE c.starts_at >= (SELECT k.begins_at FROM clock AS k) AND c.starts_at < (SELECT k.ends_at FROM clock AS k);
COMMENT ON VIEW admin.today IS
'The classes of today and tomorrow in the studio''s time zone, with their production seats.';
COMMENT ON COLUMN admin.today.day IS 'The studio''s day on which the class starts.';
COMMENT ON COLUMN admin.today.is_today IS 'Whether this day is today; otherwise it is tomorrow.';
COMMENT ON COLUMN admin.today.starts_local IS 'The start in the studio''s time zone.';
COMMENT ON COLUMN admin.today.waiting IS 'The number of members on the waitlist.';
COMMENT ON COLUMN admin.today.unmarked IS
'The bookings whose attendance is still to be marked; null until it can be marked and for a cancelled class.';

CREATE VIEW admin.attention AS
SELECT a.kind, a.items, a.since
FROM (
    SELECT 'violations' AS kind, count(*)::INTEGER AS items, min(f.found_at) AS since
    FROM (SELECT w.found_at FROM wallet.findings AS w ORDER BY w.finding_id LIMIT 100) AS f
    UNION ALL
    SELECT 'quarantined_messages', count(*)::INTEGER, min(m.received_at)
    FROM (
        SELECT i.received_at FROM wallet.inbox AS i
        WHERE i.status = 'quarantined'
        ORDER BY i.received_at
        LIMIT 100
    ) AS m
    UNION ALL
    SELECT 'dead_events', count(*)::INTEGER, min(d.event_at)
    FROM (
        SELECT e.event_at FROM wallet.deliveries AS e
        WHERE e.status = 'dead'
        ORDER BY e.event_at
        LIMIT 100
    ) AS d
    UNION ALL
    -- One failed attempt is often repaired by the next one. While an endpoint does not answer, most pending events have
    -- failed, so the search ends soon.
    SELECT 'failing_events', count(*)::INTEGER, min(p.event_at)
    FROM (
        SELECT e.event_at FROM wallet.deliveries AS e
        WHERE e.status = 'pending' AND e.attempts >= 3
        ORDER BY e.next_attempt_at
        LIMIT 100
    ) AS p
    UNION ALL
    SELECT 'open_flags', count(*)::INTEGER, min(r.raised_at)
    FROM (
        SELECT g.raised_at FROM wallet.review_flags AS g
        WHERE g.resolved_at IS NULL
        ORDER BY g.account_id
        LIMIT 100
    ) AS r
) AS a
WHERE a.items > 0;
COMMENT ON VIEW admin.attention IS 'What needs a person; without rows, nothing does.';
COMMENT ON COLUMN admin.attention.kind IS
'violations of invariants, quarantined_messages, dead_events (given up), failing_events (rejected three times or more, '
'still retried), or open_flags.';
COMMENT ON COLUMN admin.attention.items IS 'How many there are; counted up to 100.';
COMMENT ON COLUMN admin.attention.since IS 'The time of the earliest one that was counted.';

CREATE VIEW wallet.revenue_now AS
SELECT
    p.period,
    r.currency,
    coalesce(sum(r.purchases) FILTER (WHERE p.period = 'month' OR r.day = t.day), 0)::BIGINT AS purchases,
    coalesce(sum(r.gross_minor) FILTER (WHERE p.period = 'month' OR r.day = t.day), 0) AS gross_minor,
    coalesce(sum(r.refunds) FILTER (WHERE p.period = 'month' OR r.day = t.day), 0)::BIGINT AS refunds,
    coalesce(sum(r.refunded_minor) FILTER (WHERE p.period = 'month' OR r.day = t.day), 0) AS refunded_minor,
    coalesce(sum(r.net_minor) FILTER (WHERE p.period = 'month' OR r.day = t.day), 0) AS net_minor
FROM (SELECT ((SELECT wallet.now()) AT TIME ZONE (SELECT wallet.studio_time_zone()))::DATE AS day) AS t
INNER JOIN wallet.revenue_rows AS r
    ON r.environment = 'production' AND r.day >= date_trunc('month', t.day::TIMESTAMP)::DATE
CROSS JOIN (VALUES ('day'), ('month')) AS p (period)
GROUP BY p.period, r.currency;
COMMENT ON VIEW wallet.revenue_now IS
'The totals of wallet.revenue_report for the studio''s day and month, production wallets only.';
