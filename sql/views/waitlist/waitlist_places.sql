-- The waitlist of all future classes, with each member's position.
CREATE VIEW wallet.waitlist_places AS
SELECT
    w.account_id,
    w.environment,
    w.class_id,
    c.title AS class_title,
    c.starts_at,
    w.seats,
    (
        SELECT count(*)::INTEGER FROM wallet.waitlist AS o
        WHERE o.class_id = w.class_id AND o.environment = w.environment AND o.entry_id <= w.entry_id
    ) AS place,
    w.joined_at
FROM wallet.waitlist AS w
INNER JOIN wallet.classes AS c ON w.class_id = c.class_id
WHERE c.status = 'scheduled' AND c.starts_at > (SELECT wallet.now());
COMMENT ON VIEW wallet.waitlist_places IS 'The waitlist of all future classes, with each member''s position.';
