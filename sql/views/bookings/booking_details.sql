-- Bookings as the API shows them. The slices are the ledger entries that paid for the booking.
CREATE VIEW wallet.booking_details AS
SELECT
    b.account_id,
    b.booking_id,
    b.environment,
    b.class_id,
    c.title AS class_title,
    c.starts_at,
    c.starts_at > n.now AS is_ahead,
    CASE WHEN b.cancelled_at IS NULL THEN 'booked' ELSE 'cancelled' END AS status,
    b.seats::INTEGER AS seats,
    b.unit,
    b.amount,
    -- This is a subquery, so that it runs only for the rows in the result, not for rows skipped on the way.
    array(
        SELECT row(e.lot_id, -e.amount)::wallet.lot_slice
        FROM wallet.entries AS e
        WHERE
            -- If the account was merged, the entries stay in the ledger of the original account.
            e.account_id = coalesce(b.ledger_account_id, b.account_id) AND e.environment = b.environment
            AND e.lot_id IS NOT NULL
            AND e.version BETWEEN b.first_version AND b.first_version + b.entry_count - 1
        ORDER BY e.version
    ) AS slices,
    b.free_minutes_before,
    CASE WHEN b.cancelled_at IS NULL AND m.moved THEN c.starts_at ELSE b.free_until END AS free_until,
    b.created_at,
    b.cancelled_at,
    b.cancelled_by::TEXT AS cancelled_by,
    coalesce(b.cancelled_by = 'user' AND b.cancelled_at > b.free_until, FALSE) AS late_cancel,
    b.returned,
    b.idempotency_key::TEXT AS idempotency_key,
    m.moved,
    b.promoted,
    c.ends_at,
    c.ends_at <= n.now AS is_over,
    -- Subqueries, for the same reason as the slices.
    coalesce((
        SELECT a.attendance::TEXT FROM wallet.attendances AS a
        WHERE a.account_id = b.account_id AND a.booking_id = b.booking_id
    ), 'unmarked') AS attendance,
    coalesce((
        SELECT q.fee FROM wallet.consequences AS q
        WHERE q.account_id = b.account_id AND q.booking_id = b.booking_id AND q.withdrawn_at IS NULL
    ), 0) AS fee,
    (
        SELECT q.strike FROM wallet.consequences AS q
        WHERE q.account_id = b.account_id AND q.booking_id = b.booking_id AND q.withdrawn_at IS NULL
    ) IS TRUE AS strike,
    (SELECT t.policy_id FROM wallet.policy_terms AS t WHERE t.terms_id = b.terms_id) AS policy_id
FROM wallet.bookings AS b
INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
-- A cancelled booking keeps its state: later moves of its class do not change it.
CROSS JOIN LATERAL (
    SELECT b.moves_seen < CASE WHEN b.cancelled_at IS NULL THEN c.moves ELSE b.moves_notified END AS moved
) AS m
-- The clock is read once here, so that a list reads only the bookings that it shows.
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS n;
COMMENT ON VIEW wallet.booking_details IS 'Bookings with class, slices and cancellation.';
COMMENT ON COLUMN wallet.booking_details.moved IS
'Whether the class moved to another start after the booking, so that it is free to cancel until then.';
COMMENT ON COLUMN wallet.booking_details.attendance IS 'unmarked, attended, no_show or excused.';
COMMENT ON COLUMN wallet.booking_details.fee IS
'The fee in credits for a late cancellation or a no-show, unless it was withdrawn.';
COMMENT ON COLUMN wallet.booking_details.strike IS
'Whether a late cancellation or a no-show counts as a strike.';
COMMENT ON COLUMN wallet.booking_details.promoted IS 'Whether the booking came from the waitlist.';
