-- Classes with their seats in each environment.
CREATE VIEW wallet.class_list AS
SELECT
    c.class_id,
    s.environment,
    c.title,
    c.starts_at,
    c.ends_at,
    s.capacity,
    s.capacity - s.sold AS seats_left,
    c.price_credits,
    c.price_visits,
    c.free_minutes_before,
    c.status,
    c.starts_at > (SELECT wallet.now()) AS is_ahead
FROM wallet.classes AS c
INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id;
COMMENT ON VIEW wallet.class_list IS 'Classes with their seats in each environment.';
