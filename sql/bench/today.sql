-- Adds a studio's day to the books of seed.sql for Tests/Benchmarks/pages: 30 classes today and 30 tomorrow, each with
-- 20 bookings, of which those of past hours are still to be marked. The ledger has no entries for these bookings.
INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
SELECT
    'today-' || to_char(n, 'FM000000'), 'A class of the day', t.starts_at, t.starts_at + INTERVAL '1 hour', 1, now()
FROM generate_series(0, 59) AS n
CROSS JOIN LATERAL (
    SELECT (date_trunc('day', now() AT TIME ZONE 'UTC') + n * INTERVAL '48 minutes') AT TIME ZONE 'UTC' AS starts_at
) AS t;
INSERT INTO wallet.class_seats (class_id, environment, capacity, sold)
SELECT c.class_id, e.environment, 24, CASE e.environment WHEN 'production' THEN 20 ELSE 0 END
FROM wallet.classes AS c
CROSS JOIN unnest(enum_range(NULL::wallet.environment)) AS e (environment)
WHERE c.class_id LIKE 'today-%';
INSERT INTO wallet.bookings (
    account_id, booking_id, environment, class_id, idempotency_key, seats, unit, amount, first_version, entry_count,
    free_minutes_before, free_until, created_at
)
SELECT
    a.account_id, gen_random_uuid(), 'production', c.class_id, 'key-' || c.class_id, 1, 'credit', 1, 1, 1,
    c.free_minutes_before, c.starts_at - make_interval(mins => c.free_minutes_before), c.starts_at - INTERVAL '3 days'
FROM wallet.classes AS c
CROSS JOIN LATERAL (SELECT i.account_id FROM wallet.identities AS i ORDER BY i.account_id LIMIT 20) AS a
WHERE c.class_id LIKE 'today-%';
ANALYZE wallet.classes, wallet.class_seats, wallet.bookings;
