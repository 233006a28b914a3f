-- Reads what the cancellations of a group need to be decided, in one statement. A cancellation is plain if nothing
-- about it is out of the ordinary: the booking stands, is the account's own from the start, and of a class that takes
-- place, was not moved, has not begun and for which nobody waits; and every lot that paid is the account's, has not
-- expired and knows no refund.
-- It has no settings of its own, so that it becomes part of its caller's statement; every name in it is qualified.
-- The caller holds the wallets and the seats. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.group_cancellations(
    p_account_ids BIGINT[],
    p_environments wallet.environment[],
    p_operations TEXT[],
    p_booking_ids UUID[],
    p_now TIMESTAMPTZ
) RETURNS SETOF wallet.group_item LANGUAGE sql STABLE AS $$
    SELECT
        i.item::INTEGER, i.account_id, i.environment, i.operation, i.booking_id, NULL::TEXT, b.class_id, b.seats,
        NULL::TEXT, NULL::BIGINT, i.environment || ' ' || i.account_id, i.environment || ' ' || b.class_id,
        m.may_change AND b.moves_known = c.moves AND b.ledger_account_id IS NULL AND p.is_plain AND NOT EXISTS (
            SELECT FROM wallet.waitlist AS q WHERE q.class_id = b.class_id AND q.environment = b.environment
        ),
        m.may_change, FALSE, w.ctid, w.credits, w.visits, w.version, w.head_hash, w.last_at,
        c.title, c.starts_at, NULL::BIGINT, NULL::BIGINT, c.moves, s.ctid, s.capacity - s.sold,
        FALSE, NULL::UUID, NULL::TID, NULL::BIGINT, NULL::UUID, NULL::TID, NULL::BIGINT, b.free_minutes_before,
        b.free_until, b.unit, b.amount, b.created_at, b.promoted, p.lot_ids, p.lot_ats, p.amounts
    FROM unnest(p_account_ids, p_environments, p_operations, p_booking_ids)
        WITH ORDINALITY AS i (account_id, environment, operation, booking_id, item)
    INNER JOIN wallet.bookings AS b
        ON b.account_id = i.account_id AND b.booking_id = i.booking_id AND b.environment = i.environment
    INNER JOIN wallet.wallets AS w ON w.account_id = i.account_id AND w.environment = i.environment
    INNER JOIN wallet.classes AS c ON c.class_id = b.class_id
    INNER JOIN wallet.class_seats AS s ON s.class_id = b.class_id AND s.environment = b.environment
    CROSS JOIN LATERAL (
        SELECT
            coalesce(array_agg(e.lot_id ORDER BY e.version), '{}') AS lot_ids,
            coalesce(array_agg(l.ctid ORDER BY e.version), '{}') AS lot_ats,
            coalesce(array_agg(-e.amount ORDER BY e.version), '{}') AS amounts,
            coalesce(bool_and((
                l.environment = b.environment AND l.moved_to IS NULL AND l.refunded = 0 AND l.repaid = 0
                AND l.expires_at > p_now AND (l.is_open OR l.expires_at = 'infinity')
            ) IS TRUE), TRUE) AS is_plain
        FROM wallet.entries AS e
        LEFT JOIN wallet.lots AS l ON l.account_id = e.account_id AND l.lot_id = e.lot_id
        WHERE
            e.account_id = b.account_id AND e.environment = b.environment AND e.lot_id IS NOT NULL
            AND e.version BETWEEN b.first_version AND b.first_version + b.entry_count - 1
    ) AS p
    CROSS JOIN LATERAL (
        SELECT b.status = 'booked' AND c.status = 'scheduled' AND c.starts_at > p_now AS may_change
    ) AS m
    WHERE i.operation = 'cancel';
$$;
COMMENT ON FUNCTION wallet.group_cancellations(BIGINT[], wallet.environment[], TEXT[], UUID[], TIMESTAMPTZ) IS
'What the cancellations of a group need to be decided.';
