-- Demo classes, and the enabled store. When the last class of a kind has begun, the next run adds a new one under its
-- own date. So the dates are always in the future, and a booked class never moves. Each class except pottery shows a
-- limit: glass allows two seats a booking, watercolour no overlapping booking, bread booking within a week (a plan
-- extends it), and yoga booking until half an hour before the start.
INSERT INTO wallet.stores (store, grants_from) VALUES ('app_store', '2020-01-01T00:00:00Z')
ON CONFLICT (store) DO NOTHING;

WITH demo (
    name, title, starts_in_days, capacity, price_credits, price_visits, max_seats, days_ahead, closes_minutes_before,
    max_overlaps
) AS (
    VALUES
    ('demo-pottery', 'Pottery for beginners', 3, 12, 20, 1, NULL::INTEGER, NULL::INTEGER, NULL::INTEGER, NULL::INTEGER),
    ('demo-watercolour', 'Watercolour evening', 4, 10, 30, 1, NULL, NULL, NULL, 0),
    ('demo-bread', 'Sourdough bread', 5, 8, 40, 1, NULL, 7, NULL, NULL),
    ('demo-glass', 'Glass blowing', 6, 6, 50, NULL, 2, NULL, NULL, NULL),
    ('demo-yoga', 'Morning yoga', 2, 20, NULL, 1, NULL, NULL, 30, NULL)
),

due AS (
    SELECT
        d.*,
        date_trunc('hour', n.now) + make_interval(days => d.starts_in_days) AS starts_at,
        n.now
    FROM demo AS d
    CROSS JOIN (SELECT wallet.now() AS now) AS n
    WHERE NOT EXISTS (
        SELECT FROM wallet.classes AS c WHERE c.class_id LIKE d.name || '-%' AND c.starts_at > n.now
    )
),

placed AS (
    INSERT INTO wallet.classes (
        class_id, title, starts_at, ends_at, price_credits, price_visits, max_seats, days_ahead, closes_minutes_before,
        max_overlaps, updated_at
    )
    SELECT
        d.name || '-' || to_char(d.starts_at AT TIME ZONE 'UTC', 'YYYYMMDD'),
        d.title,
        d.starts_at,
        d.starts_at + INTERVAL '2 hours',
        d.price_credits,
        d.price_visits,
        d.max_seats,
        d.days_ahead,
        d.closes_minutes_before,
        d.max_overlaps,
        d.now
    FROM due AS d
    RETURNING class_id
)

INSERT INTO wallet.class_seats (class_id, environment, capacity)
SELECT p.class_id, e.environment, d.capacity
FROM placed AS p
INNER JOIN demo AS d ON p.class_id LIKE d.name || '-%'
CROSS JOIN unnest(enum_range(NULL::wallet.environment)) AS e (environment);
