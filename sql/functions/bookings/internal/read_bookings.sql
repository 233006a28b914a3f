-- Reads, in one statement, all data needed to decide the bookings and quotes of a batch, and all other items that are
-- not cancellations. It reads all open lots of a wallet that may pay for the class, in burn order: soonest expiry
-- first, lots without expiry last, then lot id. A lot pays only for a class that starts before the lot ends.
-- It finds the refusals that no earlier item can change, in this order: 401 unauthenticated (the account does not
-- exist, was deleted or merged since the token was admitted, or is another account with the same number), 404
-- class-not-found, 409 class-closed, 403 account-blocked, 409 already-booked, and those of wallet.check_limits.
-- It has no SET clauses, so that PostgreSQL can inline it into its caller's statement; every name in it is qualified.
-- p_items: the numbers of the items to read; null for all.
-- p_promoted: whether the waitlist books. Such a booking may take seats reserved for the waitlist, needs no key, and is
-- free to cancel for half an hour.
-- p_opened: see wallet.book_batch.
-- The caller holds the wallets and the seats of the bookings. Locks: none. Codes: in the items.
CREATE OR REPLACE FUNCTION wallet.read_bookings(
    p_requests wallet.booking_request[],
    p_items INTEGER[],
    p_promoted BOOLEAN,
    p_now TIMESTAMPTZ,
    p_opened TIMESTAMPTZ[] DEFAULT NULL
) RETURNS SETOF wallet.batch_item LANGUAGE sql STABLE AS $$
    SELECT
        i.item::INTEGER, i.account_id, a.created_at, i.environment, i.operation, i.booking_id, i.idempotency_key, i.class_id, i.seats,
        i.pay_with, i.max_amount,
        i.environment IS NOT NULL AND i.class_id IS NOT NULL AND i.seats BETWEEN 1 AND 100 AND (
            i.operation = 'quote'
            OR (
                i.operation = 'book' AND i.booking_id IS NOT NULL
                AND (p_promoted OR char_length(i.idempotency_key) BETWEEN 1 AND 255)
            )
        ),
        -- This is a subquery, like those below, because each further join would carry all columns along.
        (
            SELECT o.booking_id FROM wallet.bookings AS o
            WHERE
                o.account_id = i.account_id AND o.environment = i.environment AND o.idempotency_key = i.idempotency_key
                AND i.operation = 'book'
        ),
        w.ctid, w.credits, w.visits, w.version, w.head_hash, w.last_at,
        c.title, c.starts_at, c.moves, s.ctid,
        (
            SELECT TRUE FROM wallet.waitlist AS o
            WHERE o.class_id = i.class_id AND o.environment = i.environment AND o.account_id = i.account_id
        ), p_promoted, c.free_minutes_before,
        greatest(
            c.starts_at - make_interval(mins => c.free_minutes_before),
            CASE WHEN p_promoted THEN least(p_now + INTERVAL '30 minutes', c.starts_at) END
        ),
        l.lot_ids, l.lot_ctids, l.lot_units, l.lot_amounts,
        CASE
            WHEN
                a.account_id IS NULL OR a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL
                OR a.created_at <> p_opened[i.item]
                THEN wallet.payment_refusal(401, 'unauthenticated')
            WHEN c.class_id IS NULL THEN wallet.payment_refusal(404, 'class-not-found')
            WHEN c.status <> 'scheduled' OR c.starts_at <= p_now THEN wallet.payment_refusal(409, 'class-closed')
            WHEN a.blocked_at IS NOT NULL THEN wallet.payment_refusal(403, 'account-blocked')
            ELSE coalesce(
                (
                    SELECT wallet.payment_refusal(409, 'already-booked', jsonb_build_object('booking_id', o.booking_id))
                    FROM wallet.bookings AS o
                    WHERE
                        o.class_id = i.class_id AND o.environment = i.environment AND o.account_id = i.account_id
                        AND o.cancelled_at IS NULL
                ),
                CASE
                    WHEN
                        p.is_live OR c.max_overlaps IS NOT NULL OR c.days_ahead IS NOT NULL
                        OR coalesce(c.max_seats, c.opens_minutes_before, c.closes_minutes_before) IS NOT NULL
                        THEN wallet.check_limits(c, i.account_id, i.environment, i.seats)
                END
            )
        END,
        c.max_overlaps IS NOT NULL,
        CASE
            WHEN s.reserved = 0 OR p_promoted THEN s.capacity - s.sold
            ELSE wallet.seats_left(c, s.environment)
        END,
        i.seats = 1 AND p.is_live IS TRUE AND wallet.has_unlimited(i.account_id, i.environment, c.starts_at),
        c.price_credits, c.price_visits,
        NULL::wallet.unit, NULL::BIGINT, NULL::TIMESTAMPTZ, NULL::TEXT, FALSE, FALSE
    FROM unnest(p_requests) WITH ORDINALITY AS i (
        account_id, environment, operation, booking_id, idempotency_key, class_id, seats, pay_with, max_amount, item
    )
    LEFT JOIN wallet.wallets AS w ON w.account_id = i.account_id AND w.environment = i.environment
    LEFT JOIN wallet.accounts AS a ON a.account_id = i.account_id
    LEFT JOIN wallet.classes AS c ON c.class_id = i.class_id
    LEFT JOIN wallet.class_seats AS s ON s.class_id = i.class_id AND s.environment = i.environment
    -- At most one row. LIMIT keeps a plan made while the table was empty from scanning it whole.
    LEFT JOIN LATERAL (
        SELECT TRUE AS is_live FROM wallet.subscriptions AS o
        WHERE
            o.account_id = i.account_id AND o.environment = i.environment
            AND greatest(o.period_end, o.grace_ends_at) > p_now
        LIMIT 1
    ) AS p ON TRUE
    CROSS JOIN LATERAL (
        SELECT
            array_agg(o.lot_id) AS lot_ids, array_agg(o.ctid) AS lot_ctids, array_agg(o.unit) AS lot_units,
            array_agg(o.remaining) AS lot_amounts
        FROM (
            SELECT l.lot_id, l.ctid, l.unit, l.remaining FROM wallet.lots AS l
            WHERE
                l.account_id = i.account_id AND l.environment = i.environment AND l.is_open
                AND l.expires_at > greatest(c.starts_at, p_now)
            ORDER BY l.unit, l.expires_at, l.lot_id
        ) AS o
    ) AS l
    WHERE i.operation IS DISTINCT FROM 'cancel' AND (p_items IS NULL OR i.item = ANY(p_items));
$$;
COMMENT ON FUNCTION wallet.read_bookings(wallet.booking_request[], INTEGER[], BOOLEAN, TIMESTAMPTZ, TIMESTAMPTZ[]) IS
'Returns all data needed to decide the bookings and quotes of a batch.';
