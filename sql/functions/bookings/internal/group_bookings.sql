-- Reads what the bookings of a group need to be decided, in one statement. A booking is plain if nothing about it is
-- out of the ordinary: a live account, a new key, a class that can be booked, of which no seat is held and for which
-- the account does not wait, no limit in its way, no named lot. Of its wallet the first open lot in burn order is told,
-- in either unit.
-- It has no settings of its own, so that it becomes part of its caller's statement; every name in it is qualified.
-- The caller holds the wallets and the seats. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.group_bookings(
    p_account_ids BIGINT[],
    p_environments wallet.environment[],
    p_operations TEXT[],
    p_booking_ids UUID[],
    p_keys TEXT[],
    p_class_ids TEXT[],
    p_seats INTEGER[],
    p_pay_with TEXT[],
    p_max_amounts BIGINT[],
    p_now TIMESTAMPTZ
) RETURNS SETOF wallet.group_item LANGUAGE sql STABLE AS $$
    SELECT
        i.item::INTEGER, i.account_id, i.environment, i.operation, i.booking_id, i.key, i.class_id, i.seats, i.pay_with,
        i.max_amount, i.environment || ' ' || i.account_id, i.environment || ' ' || s.class_id,
        m.may_change AND s.held = 0 AND q.is_waiting IS NULL
        AND (i.pay_with IS NULL OR i.pay_with IN ('visits', 'credits'))
        AND CASE
            WHEN
                p.is_live OR c.max_overlaps IS NOT NULL OR c.days_ahead IS NOT NULL
                OR coalesce(c.max_seats, c.opens_minutes_before, c.closes_minutes_before) IS NOT NULL
            THEN (wallet.check_limits(c, i.account_id, i.environment, i.seats)).status IS NULL
            ELSE TRUE
        END,
        m.may_change, c.max_overlaps IS NOT NULL, w.ctid, w.credits, w.visits, w.version, w.head_hash, w.last_at,
        c.title, c.starts_at, c.price_credits, c.price_visits, c.moves, s.ctid, s.capacity - s.sold,
        i.seats = 1 AND p.is_live IS TRUE
        AND wallet.has_unlimited(i.account_id, i.environment, c.starts_at),
        v.lot_id, v.ctid, v.remaining, r.lot_id, r.ctid, r.remaining, c.free_minutes_before,
        c.starts_at - make_interval(mins => c.free_minutes_before),
        NULL::wallet.unit, NULL::BIGINT, NULL::TIMESTAMPTZ, FALSE, NULL::UUID[], NULL::TID[], NULL::BIGINT[]
    FROM unnest(
        p_account_ids, p_environments, p_operations, p_booking_ids, p_keys, p_class_ids, p_seats, p_pay_with,
        p_max_amounts
    ) WITH ORDINALITY AS i (
        account_id, environment, operation, booking_id, key, class_id, seats, pay_with, max_amount, item
    )
    LEFT JOIN wallet.wallets AS w ON w.account_id = i.account_id AND w.environment = i.environment
    LEFT JOIN wallet.accounts AS a ON a.account_id = i.account_id
    LEFT JOIN wallet.classes AS c ON c.class_id = i.class_id
    LEFT JOIN wallet.class_seats AS s ON s.class_id = i.class_id AND s.environment = i.environment
    -- One row at most, each; the limit keeps a plan that was made while such a table was empty from reading all of it.
    LEFT JOIN LATERAL (
        SELECT TRUE AS is_known FROM wallet.bookings AS o
        WHERE o.account_id = i.account_id AND o.environment = i.environment AND o.idempotency_key = i.key
        LIMIT 1
    ) AS k ON TRUE
    LEFT JOIN LATERAL (
        SELECT TRUE AS is_booked FROM wallet.bookings AS o
        WHERE
            o.class_id = i.class_id AND o.environment = i.environment AND o.account_id = i.account_id
            AND o.status = 'booked'
        LIMIT 1
    ) AS b ON TRUE
    LEFT JOIN LATERAL (
        SELECT TRUE AS is_waiting FROM wallet.waitlist AS o
        WHERE o.class_id = i.class_id AND o.environment = i.environment AND o.account_id = i.account_id
        LIMIT 1
    ) AS q ON TRUE
    LEFT JOIN LATERAL (
        SELECT TRUE AS is_live FROM wallet.subscriptions AS o
        WHERE
            o.account_id = i.account_id AND o.environment = i.environment
            AND greatest(o.period_end, o.grace_ends_at) > p_now
        LIMIT 1
    ) AS p ON TRUE
    LEFT JOIN LATERAL (
        SELECT l.lot_id, l.ctid, l.remaining FROM wallet.lots AS l
        WHERE
            l.account_id = i.account_id AND l.environment = i.environment AND l.unit = 'visit' AND l.is_open
            AND l.expires_at > greatest(c.starts_at, p_now)
        ORDER BY l.expires_at, l.lot_id
        LIMIT 1
    ) AS v ON c.price_visits IS NOT NULL
    LEFT JOIN LATERAL (
        SELECT l.lot_id, l.ctid, l.remaining FROM wallet.lots AS l
        WHERE
            l.account_id = i.account_id AND l.environment = i.environment AND l.unit = 'credit' AND l.is_open
            AND l.expires_at > greatest(c.starts_at, p_now)
        ORDER BY l.expires_at, l.lot_id
        LIMIT 1
    ) AS r ON c.price_credits IS NOT NULL
    CROSS JOIN LATERAL (
        SELECT
            -- Whatever else holds, these are refused or answered as before, and change nothing.
            (
                i.seats BETWEEN 1 AND 100 AND char_length(i.key) BETWEEN 1 AND 255 AND i.booking_id IS NOT NULL
                AND w.version IS NOT NULL AND a.deleted_at IS NULL AND a.merged_into IS NULL AND a.blocked_at IS NULL
                AND k.is_known IS NULL AND b.is_booked IS NULL
                AND c.status = 'scheduled' AND c.starts_at > p_now
            ) IS TRUE AS may_change
    ) AS m
    WHERE i.operation = 'book';
$$;
COMMENT ON FUNCTION wallet.group_bookings(
    BIGINT[], wallet.environment[], TEXT[], UUID[], TEXT[], TEXT[], INTEGER[], TEXT[], BIGINT[], TIMESTAMPTZ
) IS 'What the bookings of a group need to be decided.';
