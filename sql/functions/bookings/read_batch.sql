-- Reads the data of a batch's items. The decisions are in rules.sql. Both functions return the members of
-- wallet.batch_item in its order; the names after AS are only for readers.

-- Reads, in one statement, all data needed to decide the bookings and quotes of a batch, joins of a waitlist (operation
-- 'wait'), and all other items that are not cancellations. It reads all open lots of a wallet that may pay for the
-- class, in burn order: soonest expiry first, lots without expiry last, then lot id. A lot pays only for a class that
-- starts before the lot ends, and not while the lot is frozen. A lot that has not started would start now, so it pays
-- only for a class within its validity from now; in the order, it has the expiry of its latest start.
-- It has no SET clauses, so that PostgreSQL can inline it into its caller's statement; every name in it is qualified.
-- p_items: the numbers of the items to read; null for all.
-- p_promoted: whether the waitlist books. Such a booking may take seats reserved for the waitlist, needs no key, and is
-- free to cancel for half an hour.
-- p_opened: see wallet.book_batch.
-- The caller holds the wallets and the seats of the bookings. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.read_bookings(
    p_requests wallet.booking_request[],
    p_items INTEGER[],
    p_promoted BOOLEAN,
    p_now TIMESTAMPTZ,
    p_opened TIMESTAMPTZ[] DEFAULT NULL
) RETURNS SETOF wallet.batch_item LANGUAGE sql STABLE AS $$
    SELECT
        i.item::INTEGER AS item, i.account_id AS account_id, a.created_at AS opened_at, i.environment AS environment,
        i.operation AS operation, i.booking_id AS booking_id, i.idempotency_key AS idempotency_key,
        i.class_id AS class_id, i.seats AS seats, i.pay_with AS pay_with, i.max_amount AS max_amount,
        i.environment IS NOT NULL AND i.class_id IS NOT NULL AND i.seats BETWEEN 1 AND 100 AND (
            i.operation IN ('quote', 'wait')
            OR (
                i.operation = 'book' AND i.booking_id IS NOT NULL
                AND (p_promoted OR char_length(i.idempotency_key) BETWEEN 1 AND 255)
            )
        ) AS is_complete,
        -- This is a subquery, like those below, because each further join would carry all columns along.
        (
            SELECT o.booking_id FROM wallet.bookings AS o
            WHERE
                o.account_id = i.account_id AND o.environment = i.environment AND o.idempotency_key = i.idempotency_key
                AND i.operation = 'book'
        ) AS known_id,
        w.ctid AS wallet_ctid, w.credits AS credits, w.visits AS visits, w.version AS version,
        w.head_hash AS head_hash, w.last_at AS last_at,
        a.account_id IS NULL OR a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL
        OR a.created_at <> p_opened[i.item] AS is_gone,
        a.blocked_at IS NOT NULL OR w.blocked_until > p_now AS is_blocked,
        c.status AS class_status, c.title AS class_title, c.starts_at AS starts_at, c.moves AS moves,
        s.ctid AS seats_ctid, s.capacity::INTEGER AS capacity,
        s.capacity - s.sold - CASE
            WHEN s.reserved = 0 OR p_promoted OR NOT wallet.waitlist_is_open(c) THEN 0 ELSE s.reserved
        END AS seats_left,
        (
            SELECT o.booking_id FROM wallet.bookings AS o
            WHERE
                o.class_id = i.class_id AND o.environment = i.environment AND o.account_id = i.account_id
                AND o.cancelled_at IS NULL
        ) AS booked_id,
        c.max_overlaps IS NOT NULL OR c.days_ahead IS NOT NULL
        OR coalesce(c.max_seats, c.opens_minutes_before, c.closes_minutes_before) IS NOT NULL AS has_limits,
        c.max_overlaps IS NOT NULL AS limits_overlaps,
        (
            SELECT TRUE FROM wallet.subscriptions AS o
            WHERE
                o.account_id = i.account_id AND o.environment = i.environment
                AND greatest(o.period_end, o.grace_ends_at) > p_now
            LIMIT 1
        ) IS NOT NULL AS has_plan,
        c.price_credits AS price_credits, c.price_visits AS price_visits,
        (
            SELECT TRUE FROM wallet.waitlist AS o
            WHERE o.class_id = i.class_id AND o.environment = i.environment AND o.account_id = i.account_id
        ) AS has_waiting,
        p_promoted AS promoted, c.free_minutes_before AS free_minutes_before,
        greatest(
            c.starts_at - make_interval(mins => c.free_minutes_before),
            CASE WHEN p_promoted THEN least(p_now + INTERVAL '30 minutes', c.starts_at) END
        ) AS free_until,
        c.terms_id AS terms_id,
        l.lot_ids AS lot_ids, l.lot_ctids AS lot_ctids, l.lot_units AS lot_units, l.lot_amounts AS lot_amounts,
        w.last_start > p_now AS has_unstarted, NULL::wallet.unit AS unit, NULL::BIGINT AS amount, NULL::TIMESTAMPTZ AS created_at, NULL::TEXT AS cancelled_by,
        FALSE AS moved, FALSE AS returns_apart
    FROM unnest(p_requests) WITH ORDINALITY AS i (
        account_id, environment, operation, booking_id, idempotency_key, class_id, seats, pay_with, max_amount, item
    )
    LEFT JOIN wallet.wallets AS w ON w.account_id = i.account_id AND w.environment = i.environment
    LEFT JOIN wallet.accounts AS a ON a.account_id = i.account_id
    LEFT JOIN wallet.classes AS c ON c.class_id = i.class_id
    LEFT JOIN wallet.class_seats AS s ON s.class_id = i.class_id AND s.environment = i.environment
    CROSS JOIN LATERAL (
        SELECT
            array_agg(o.lot_id) AS lot_ids, array_agg(o.ctid) AS lot_ctids, array_agg(o.unit) AS lot_units,
            array_agg(o.remaining) AS lot_amounts
        FROM (
            SELECT l.lot_id, l.ctid, l.unit, l.remaining FROM wallet.lots AS l
            WHERE
                l.account_id = i.account_id AND l.environment = i.environment AND l.is_open
                AND l.expires_at > greatest(c.starts_at, p_now)
                AND (l.frozen_until IS NULL OR c.starts_at < l.frozen_from OR c.starts_at >= l.frozen_until)
                AND (l.starts_at IS NULL OR c.starts_at - p_now < l.expires_at - l.starts_at)
            ORDER BY l.unit, l.expires_at, l.lot_id
        ) AS o
    ) AS l
    WHERE i.operation IS DISTINCT FROM 'cancel' AND (p_items IS NULL OR i.item = ANY(p_items));
$$;
COMMENT ON FUNCTION wallet.read_bookings(wallet.booking_request[], INTEGER[], BOOLEAN, TIMESTAMPTZ, TIMESTAMPTZ[]) IS
'Returns all data needed to decide the bookings and quotes of a batch.';

-- Reads, in one statement, all data needed to decide the cancellations of a batch. A cancellation is posted separately
-- if it may change more than a lot's spent amount: the lot belongs to another account now, has ended, is used up and
-- has an expiry, or has a refund, or the booking has a policy or a mark of its attendance. Only a refunded lot can have
-- a repayment. PostgreSQL does not inline the function, so a batch without cancellations does not pay for it.
-- p_items: the numbers of the items to read; null for all.
-- p_by: who cancels, 'user', 'studio' or 'wallet'. If the studio cancelled the class, the studio counts as the
-- canceller, even if the user's cancellation arrives first.
-- p_opened: see wallet.book_batch; null if the account cannot have changed since the request was admitted.
-- The caller holds the wallets and the seats. Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.read_cancellations(
    p_requests wallet.booking_request[],
    p_items INTEGER[],
    p_by TEXT,
    p_now TIMESTAMPTZ,
    p_opened TIMESTAMPTZ[] DEFAULT NULL
) RETURNS SETOF wallet.batch_item LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT
        i.item::INTEGER AS item, i.account_id AS account_id, a.created_at AS opened_at, i.environment AS environment,
        i.operation AS operation, i.booking_id AS booking_id, NULL::TEXT AS idempotency_key, b.class_id AS class_id,
        b.seats::INTEGER AS seats, NULL::TEXT AS pay_with, NULL::BIGINT AS max_amount,
        i.environment IS NOT NULL AND i.booking_id IS NOT NULL AS is_complete,
        CASE WHEN b.cancelled_at IS NOT NULL THEN b.booking_id END AS known_id,
        w.ctid AS wallet_ctid, w.credits AS credits, w.visits AS visits, w.version AS version,
        w.head_hash AS head_hash, w.last_at AS last_at,
        i.account_id IS NULL OR p_opened[i.item] IS NOT NULL AND (
            a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL OR a.created_at IS DISTINCT FROM p_opened[i.item]
        ) AS is_gone,
        -- A mark was for the old start, if the class was moved and a worker has not removed it yet.
        m.is_marked AND greatest(b.moves_seen, b.moves_notified) >= c.moves AS is_blocked,
        c.status AS class_status, c.title AS class_title, c.starts_at AS starts_at, c.moves AS moves,
        s.ctid AS seats_ctid, NULL::INTEGER AS capacity, NULL::INTEGER AS seats_left, NULL::UUID AS booked_id,
        NULL::BOOLEAN AS has_limits, NULL::BOOLEAN AS limits_overlaps, NULL::BOOLEAN AS has_plan,
        NULL::BIGINT AS price_credits, NULL::BIGINT AS price_visits,
        EXISTS (
            SELECT FROM wallet.waitlist AS q WHERE q.class_id = b.class_id AND q.environment = b.environment
        ) AS has_waiting,
        b.promoted AS promoted, b.free_minutes_before AS free_minutes_before,
        -- A booking made before its class was moved is free to cancel until the new start.
        CASE WHEN b.moves_seen < c.moves THEN c.starts_at ELSE b.free_until END AS free_until,
        b.terms_id AS terms_id,
        p.lot_ids AS lot_ids, p.lot_ctids AS lot_ctids, NULL::wallet.unit[] AS lot_units, p.amounts AS lot_amounts,
        FALSE AS has_unstarted, b.unit AS unit, b.amount AS amount, b.created_at AS created_at,
        CASE WHEN c.status = 'cancelled' THEN 'studio' ELSE p_by END AS cancelled_by,
        b.moves_seen < c.moves AS moved, NOT p.fast_path OR b.terms_id IS NOT NULL OR m.is_marked AS returns_apart
    FROM unnest(p_requests) WITH ORDINALITY AS i (
        account_id, environment, operation, booking_id, idempotency_key, class_id, seats, pay_with, max_amount, item
    )
    LEFT JOIN wallet.bookings AS b
        ON b.account_id = i.account_id AND b.booking_id = i.booking_id AND b.environment = i.environment
    LEFT JOIN wallet.accounts AS a ON a.account_id = i.account_id
    LEFT JOIN wallet.wallets AS w ON w.account_id = i.account_id AND w.environment = i.environment
    LEFT JOIN wallet.classes AS c ON c.class_id = b.class_id
    LEFT JOIN wallet.class_seats AS s ON s.class_id = b.class_id AND s.environment = b.environment
    CROSS JOIN LATERAL (
        SELECT
            coalesce(array_agg(e.lot_id ORDER BY e.version), '{}') AS lot_ids,
            coalesce(array_agg(l.ctid ORDER BY e.version), '{}') AS lot_ctids,
            coalesce(array_agg(-e.amount ORDER BY e.version), '{}') AS amounts,
            coalesce(bool_and((
                l.account_id = b.account_id AND l.moved_to IS NULL AND l.refunded = 0 AND l.expires_at > p_now
                AND (l.is_open OR l.expires_at = 'infinity')
            ) IS TRUE), TRUE) AS fast_path
        FROM wallet.entries AS e
        LEFT JOIN wallet.lots AS l ON l.account_id = e.account_id AND l.lot_id = e.lot_id
        WHERE
            e.account_id = coalesce(b.ledger_account_id, b.account_id) AND e.environment = b.environment
            AND e.lot_id IS NOT NULL AND e.version BETWEEN b.first_version AND b.first_version + b.entry_count - 1
    ) AS p
    CROSS JOIN LATERAL (
        SELECT EXISTS (
            SELECT FROM wallet.attendances AS o WHERE o.account_id = b.account_id AND o.booking_id = b.booking_id
        ) AS is_marked
    ) AS m
    WHERE i.operation = 'cancel' AND (p_items IS NULL OR i.item = ANY(p_items));
END;
$$;
COMMENT ON FUNCTION wallet.read_cancellations(
    wallet.booking_request[], INTEGER[], TEXT, TIMESTAMPTZ, TIMESTAMPTZ[]
) IS 'Returns all data needed to decide the cancellations of a batch.';
