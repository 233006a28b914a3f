-- The data of the service's metrics page. The service queries it at an interval, not on each request. A gauge is a
-- floating-point number, because a sum over all wallets may exceed a BIGINT.
CREATE VIEW wallet.lot_totals AS
SELECT
    l.environment,
    l.unit,
    CASE WHEN l.rolled_from IS NULL THEN l.source ELSE 'rollover' END AS source,
    count(*)::BIGINT AS lots,
    least(sum(l.granted), 9007199254740992)::BIGINT AS granted,
    sum(l.spent)::DOUBLE PRECISION AS spent,
    sum(l.remaining)::DOUBLE PRECISION AS outstanding,
    sum(l.owed)::DOUBLE PRECISION AS owed
FROM wallet.lots AS l
-- A moved lot is counted in its current account.
WHERE l.moved_to IS NULL
GROUP BY l.environment, l.unit, CASE WHEN l.rolled_from IS NULL THEN l.source ELSE 'rollover' END;
COMMENT ON VIEW wallet.lot_totals IS 'The sums of all lots by environment, unit and source.';

CREATE VIEW wallet.outbox_backlog AS
SELECT
    coalesce(greatest(b.waiting, b.pending), 0)::DOUBLE PRECISION AS age,
    b.pending_count,
    b.dead_count
FROM (
    SELECT
        (
            SELECT extract(EPOCH FROM (SELECT wallet.now()) - o.at) FROM wallet.outbox AS o
            WHERE
                (o.xid, o.event_id) > (
                    (SELECT c.xid FROM wallet.outbox_cursor AS c), (SELECT c.event_id FROM wallet.outbox_cursor AS c)
                )
            ORDER BY o.xid, o.event_id
            LIMIT 1
        ) AS waiting,
        (
            SELECT extract(EPOCH FROM (SELECT wallet.now()) - min(d.event_at)) FROM wallet.deliveries AS d
            WHERE d.status = 'pending'
        ) AS pending,
        (SELECT count(*) FROM wallet.deliveries AS d WHERE d.status = 'pending') AS pending_count,
        (SELECT count(*) FROM wallet.deliveries AS d WHERE d.status = 'dead') AS dead_count
) AS b;
COMMENT ON VIEW wallet.outbox_backlog IS
'The age of the oldest undelivered event in seconds, and the numbers of pending and dead deliveries.';

CREATE VIEW wallet.inbox_ages AS
SELECT
    i.inbox_id,
    extract(EPOCH FROM (SELECT wallet.now()) - i.received_at)::DOUBLE PRECISION AS age
FROM wallet.inbox AS i;
COMMENT ON VIEW wallet.inbox_ages IS 'The age of each waiting message in seconds.';

CREATE VIEW wallet.inbox_backlog AS
SELECT
    s.source,
    t.status,
    count(i.inbox_id)::BIGINT AS messages,
    coalesce(extract(EPOCH FROM (SELECT wallet.now()) - min(i.received_at)), 0)::DOUBLE PRECISION AS age
FROM unnest(ARRAY['app_store', 'revenuecat', 'google_play']) AS s (source)
CROSS JOIN unnest(ARRAY['new', 'failed', 'awaiting_user', 'quarantined']) AS t (status)
LEFT JOIN wallet.inbox AS i ON s.source = i.source AND t.status = i.status
GROUP BY s.source, t.status
UNION ALL
-- Quarantined messages that report a refund: until they are processed, the user keeps refunded credits.
SELECT
    s.source,
    'quarantined_refund',
    count(i.inbox_id)::BIGINT,
    coalesce(extract(EPOCH FROM (SELECT wallet.now()) - min(i.received_at)), 0)::DOUBLE PRECISION
FROM unnest(ARRAY['app_store', 'revenuecat', 'google_play']) AS s (source)
LEFT JOIN wallet.inbox AS i
    ON
        s.source = i.source AND i.status = 'quarantined' AND i.reason IS DISTINCT FROM 'partly-unreadable'
        AND i.type ~ '^(REFUND|REVOKE|VOIDED_PURCHASE|CANCELLATION)([^A-Z_]|$)'
GROUP BY s.source;
COMMENT ON VIEW wallet.inbox_backlog IS
'The number of waiting messages of each store and the age of the oldest in seconds; quarantined ones need attention.';
