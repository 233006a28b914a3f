-- Classes with their seats and limits in each environment.
CREATE VIEW wallet.class_list AS
SELECT
    c.class_id,
    s.environment,
    c.title,
    c.starts_at,
    c.ends_at,
    s.capacity::INTEGER AS capacity,
    s.capacity - s.sold - CASE
        -- From the cutoff, reserved seats are available to all users; see wallet.waitlist_is_open.
        WHEN c.starts_at - make_interval(mins => c.waitlist_cutoff_minutes) > n.now THEN s.reserved ELSE 0
    END AS seats_left,
    c.price_credits,
    c.price_visits,
    c.free_minutes_before,
    c.max_seats,
    c.days_ahead,
    c.opens_minutes_before,
    c.closes_minutes_before,
    c.max_overlaps,
    c.status,
    c.waitlist_cutoff_minutes,
    (
        SELECT count(*)::INTEGER FROM wallet.waitlist AS w
        WHERE w.class_id = s.class_id AND w.environment = s.environment
    ) AS waitlist_length,
    c.policy_id,
    c.series_id
FROM wallet.classes AS c
INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id
-- The clock is read once here, so that a list reads and counts only the classes that it shows.
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS n;
COMMENT ON VIEW wallet.class_list IS 'Classes with their seats and limits in each environment.';
