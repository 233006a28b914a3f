-- admin.today, admin.attention and wallet.revenue_now: the first page of the console (contract: Operators).
BEGIN;
\ir ../support/books.sql
\ir ../support/plans.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.listed() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', t.class_id, CASE WHEN t.is_today THEN 'today' ELSE 'tomorrow' END, t.starts_local), ', '
        ORDER BY t.starts_at, t.class_id) FROM admin.today AS t;
$$;
CREATE FUNCTION pg_temp.seats(p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', t.status, t.seats_sold || '/' || t.capacity, t.waiting || ' wait',
        coalesce(t.unmarked || ' unmarked', 'closed')) FROM admin.today AS t WHERE t.class_id = p_class_id;
$$;
CREATE FUNCTION pg_temp.at(p_class_id text, p_starts_at timestamptz, p_capacity integer DEFAULT 10) RETURNS void
LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class ' || p_class_id, p_starts_at, p_starts_at + interval '1 hour', p_capacity, 1, NULL, 0,
        'operator', NULL
    );
$$;

-- The studio's day: New York is five hours behind UTC, so its day ends at 05:00 UTC.
SELECT is_empty('SELECT t.class_id FROM admin.today AS t', 'no classes');
SELECT set_config('t.now', '2030-01-10 06:00:00+00', TRUE);
SELECT pg_temp.at('first', '2030-01-10 06:30:00+00'), pg_temp.at('last', '2030-01-11 04:30:00+00'),
    pg_temp.at('early', '2030-01-11 05:00:00+00'), pg_temp.at('late', '2030-01-12 04:59:59+00'),
    pg_temp.at('after', '2030-01-12 05:00:00+00');
SELECT is(
    pg_temp.listed(),
    'first today 2030-01-10 06:30, last tomorrow 2030-01-11 04:30, early tomorrow 2030-01-11 05:00', 'days in UTC'
);
SELECT wallet.set_studio_time_zone('America/New_York');
SELECT is(
    pg_temp.listed(),
    'first today 2030-01-10 01:30, last today 2030-01-10 23:30, early tomorrow 2030-01-11 00:00, '
    || 'late tomorrow 2030-01-11 23:59', 'a class at 23:30 is today, although UTC has the next day'
);
SELECT set_config('t.now', '2030-01-11 04:59:59+00', TRUE);
SELECT is((SELECT count(*) FROM admin.today AS t WHERE t.is_today), 2::bigint, 'the last second of the day');
SELECT set_config('t.now', '2030-01-11 05:00:00+00', TRUE);
SELECT is(
    pg_temp.listed(),
    'early today 2030-01-11 00:00, late today 2030-01-11 23:59, after tomorrow 2030-01-12 00:00', 'the next day begins'
);
-- Days with 23 and 25 hours.
SELECT set_config('t.now', '2030-03-09 17:00:00+00', TRUE);
SELECT pg_temp.at('spring', '2030-03-11 03:59:59+00'), pg_temp.at('monday', '2030-03-11 04:00:00+00');
SELECT is(pg_temp.listed(), 'spring tomorrow 2030-03-10 23:59', 'a day with 23 hours');
SELECT set_config('t.now', '2030-11-02 16:00:00+00', TRUE);
SELECT pg_temp.at('autumn', '2030-11-04 04:59:59+00'), pg_temp.at('next', '2030-11-04 05:00:00+00');
SELECT is(pg_temp.listed(), 'autumn tomorrow 2030-11-03 23:59', 'a day with 25 hours');

-- Seats, waitlist and attendance
SELECT set_config('t.now', '2030-11-02 16:00:00+00', TRUE);
SELECT pg_temp.gift('ann', 9), pg_temp.gift('bob', 9), pg_temp.gift('cat', 9, 'credit', NULL, 'sandbox'),
    pg_temp.gift('dan', 9), pg_temp.at('full', '2030-11-02 18:00:00+00', 2);
SELECT pg_temp.book('ann', 'a', 'full'), pg_temp.book('bob', 'b', 'full');
SELECT wallet.join_waitlist(wallet.account_for('dan'), 'production', 'full', 1, NULL, NULL);
SELECT is(pg_temp.seats('full'), 'scheduled 2/2 1 wait closed', 'attendance is closed two hours before the start');
SELECT pg_temp.wait('59 minutes 59 seconds');
SELECT is(pg_temp.seats('full'), 'scheduled 2/2 1 wait closed', 'and a second too early');
SELECT pg_temp.wait('1 second');
SELECT is(pg_temp.seats('full'), 'scheduled 2/2 1 wait 2 unmarked', 'it opens an hour before the start');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.mark_attendance(''production'', ''full'', %L, ''no_show'', ROW(''test'', NULL, NULL, NULL))',
        ARRAY[pg_temp.id_of('a')]
    )), 'nothing', 'the same moment as for marks'
);
SELECT is(pg_temp.seats('full'), 'scheduled 2/2 1 wait 1 unmarked', 'a marked booking does not count');
SELECT wallet.cancel_class('full', 'ill', 'operator', NULL, 'admin');
SELECT is(
    (SELECT t.status || coalesce(' ' || t.unmarked, '') FROM admin.today AS t WHERE t.class_id = 'full'), 'cancelled',
    'the attendance of a cancelled class cannot be marked'
);

-- Money
SELECT wallet.refresh_reports();
SELECT is_empty('SELECT r.period FROM wallet.revenue_now AS r', 'no sales this month');
CREATE FUNCTION pg_temp.earned() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', r.period, r.currency, r.purchases, r.gross_minor, r.refunds, r.refunded_minor,
        r.net_minor), ', ' ORDER BY r.currency, r.period) FROM wallet.revenue_now AS r;
$$;
SELECT pg_temp.buy('ann', 'old', 'starter', '{"purchased_at": "2030-11-01T03:59:59Z"}'),
    pg_temp.buy('ann', 'month', 'starter', '{"purchased_at": "2030-11-01T04:00:00Z"}'),
    pg_temp.buy('ann', 'sandbox', 'starter', '{"environment": "sandbox"}');
SELECT wallet.refresh_reports();
SELECT is(pg_temp.earned(), 'day USD 0 0 0 0 0, month USD 1 4900 0 0 4900', 'the month begins in the studio''s zone');
SELECT pg_temp.buy('ann', 'day', 'starter'), pg_temp.wait('1 second');
SELECT pg_temp.buy('ann', 'month', 'starter',
    jsonb_build_object('refunded_millionths', 1000000, 'refunded_at', wallet.now()));
UPDATE wallet.products SET currency = 'EUR' WHERE product_id LIKE '%.starter';
SELECT pg_temp.buy('bob', 'euro', 'starter');
SELECT wallet.refresh_reports();
SELECT is(
    pg_temp.earned(),
    'day EUR 1 4900 0 0 4900, month EUR 1 4900 0 0 4900, day USD 1 4900 1 4900 0, month USD 2 9800 1 4900 4900',
    'currencies are not added'
);

-- Attention
CREATE FUNCTION pg_temp.open() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', a.kind, a.items, to_char(a.since, 'MM-DD')), ', ' ORDER BY a.kind)
    FROM admin.attention AS a;
$$;
SELECT is(pg_temp.open(), NULL, 'nothing needs attention');
SELECT wallet.quarantine_event('app_store', 'm1', 'REFUND', '{}', 'unreadable');
SELECT is(pg_temp.open(), 'quarantined_messages 1 11-02', 'a quarantined message');
DELETE FROM wallet.inbox;
INSERT INTO wallet.deliveries (event_id, event_at, status, attempts, next_attempt_at) VALUES
(-1, '2030-10-01', 'pending', 2, wallet.now()), (-2, '2030-10-02', 'pending', 3, wallet.now()),
(-3, '2030-10-03', 'pending', 9, wallet.now()), (-4, '2030-10-04', 'dead', 10, wallet.now());
SELECT is(pg_temp.open(), 'dead_events 1 10-04, failing_events 2 10-02', 'events of an endpoint that fails');
DELETE FROM wallet.deliveries;
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at, resolution, resolved_at) VALUES
(wallet.account_for('ann'), 'production', 3, '2030-10-05', NULL, NULL),
(wallet.account_for('bob'), 'production', 3, '2030-10-04', 'dismissed', wallet.now());
INSERT INTO wallet.findings (name, detail, found_at) SELECT 'x', 'y', '2030-10-06' FROM generate_series(1, 101);
SELECT is(pg_temp.open(), 'open_flags 1 10-05, violations 100 10-06', 'open flags, and at most 100 violations');
DELETE FROM wallet.findings;
DELETE FROM wallet.review_flags;

-- The views read the classes of two days and their bookings only.
INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
SELECT 'scan' || i, 'Class', t.at, t.at + interval '1 hour', 1, wallet.now()
FROM generate_series(1, 3000) AS i CROSS JOIN LATERAL (SELECT wallet.now() - i * interval '3 hours' AS at) AS t;
INSERT INTO wallet.class_seats (class_id, environment, capacity)
SELECT c.class_id, 'production', 10 FROM wallet.classes AS c WHERE c.class_id LIKE 'scan%';
INSERT INTO wallet.bookings (
    account_id, booking_id, environment, class_id, idempotency_key, seats, unit, amount, first_version, entry_count,
    free_minutes_before, free_until, created_at
) SELECT
    wallet.account_for('ann'), gen_random_uuid(), 'production', 'scan' || i, 'past ' || i, 1, 'credit', 1, 1, 1, 0,
    wallet.now(), wallet.now()
FROM generate_series(1, 3000) AS i;
ANALYZE wallet.classes, wallet.class_seats, wallet.bookings;
SET LOCAL plan_cache_mode = force_generic_plan;
SELECT matches(
    pg_temp.plan('SELECT t.* FROM admin.today AS t ORDER BY t.starts_at, t.class_id LIMIT 101'),
    'Index Cond: \(\(?starts_at >=', 'the classes of the day are found by their start'
);
SELECT unalike(
    pg_temp.plan('SELECT t.* FROM admin.today AS t ORDER BY t.starts_at, t.class_id LIMIT 101'),
    '%Seq Scan on ' || n.name || ' %',
    'the day does not scan all ' || n.name
) FROM unnest(ARRAY['classes', 'class_seats', 'bookings']) AS n (name);
-- The past classes of the console: the same view as the list of classes, from the end.
SELECT doesnt_match(
    pg_temp.plan($$ SELECT c.* FROM admin.classes AS c WHERE c.starts_at < (SELECT wallet.now())
        ORDER BY c.starts_at DESC, c.class_id DESC LIMIT 51 $$), 'Sort\n', 'past classes are not sorted'
);
SET LOCAL enable_seqscan = off;
SELECT matches(pg_temp.plan('SELECT a.* FROM admin.attention AS a'), i.name, i.name || ' finds what is open')
FROM unnest(ARRAY['inbox_quarantined', 'deliveries_dead', 'deliveries_due', 'review_flags_open']) AS i (name);

SELECT is(pg_temp.raised(format('SELECT * FROM %s', v.name), r.role), 'nothing', r.role || ' reads ' || v.name)
FROM (VALUES ('admin.today'), ('admin.attention')) AS v (name)
CROSS JOIN (VALUES ('wallet_service'), ('wallet_admin'), ('wallet_auditor')) AS r (role);
SELECT is(pg_temp.raised('SELECT * FROM wallet.revenue_now', 'wallet_service'), 'nothing', 'the service reads money');
SELECT * FROM finish();
ROLLBACK;
