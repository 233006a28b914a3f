-- Reads, in one statement, all data needed to decide the cancellations of a batch. A return is posted separately if it
-- may change more than a lot's spent amount: the lot belongs to another account now, has ended, is used up and has an
-- expiry, or has a refund or a repayment. PostgreSQL does not inline the function, so a batch without cancellations
-- does not pay for it.
-- p_items: the numbers of the items to read; null for all.
-- p_by: who cancels, 'user', 'studio' or 'wallet'. If the studio cancelled the class, the studio counts as the
-- canceller, even if the user's cancellation arrives first.
-- p_opened: see wallet.book_batch; null if the account cannot have changed since the request was admitted.
-- The caller holds the wallets and the seats. Locks: none. Codes: 401 unauthenticated, in the items.
CREATE OR REPLACE FUNCTION wallet.read_cancellations(
    p_requests wallet.booking_request[],
    p_items INTEGER[],
    p_by TEXT,
    p_now TIMESTAMPTZ,
    p_opened TIMESTAMPTZ[] DEFAULT NULL
) RETURNS SETOF wallet.batch_item LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT
        i.item::INTEGER, i.account_id, a.created_at, i.environment, i.operation, i.booking_id, NULL::TEXT, b.class_id, b.seats::INTEGER,
        NULL::TEXT, NULL::BIGINT,
        i.environment IS NOT NULL AND i.booking_id IS NOT NULL,
        CASE WHEN b.cancelled_at IS NOT NULL THEN b.booking_id END, w.ctid, w.credits, w.visits, w.version,
        w.head_hash, w.last_at, c.title, c.starts_at, c.moves, s.ctid,
        EXISTS (SELECT FROM wallet.waitlist AS q WHERE q.class_id = b.class_id AND q.environment = b.environment),
        b.promoted, b.free_minutes_before,
        -- A booking made before its class was moved is free to cancel until the new start.
        CASE WHEN b.moves_seen < c.moves THEN c.starts_at ELSE b.free_until END,
        p.lot_ids, p.lot_ctids, NULL::wallet.unit[], p.amounts,
        CASE
            WHEN
                p_opened[i.item] IS NOT NULL AND (
                    a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL
                    OR a.created_at IS DISTINCT FROM p_opened[i.item]
                )
                THEN wallet.payment_refusal(401, 'unauthenticated')
        END, FALSE, NULL::INTEGER, FALSE, NULL::BIGINT, NULL::BIGINT,
        b.unit, b.amount, b.created_at, CASE WHEN c.status = 'cancelled' THEN 'studio' ELSE p_by END,
        b.moves_seen < c.moves, NOT p.fast_path
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
                l.account_id = b.account_id AND l.environment = b.environment AND l.moved_to IS NULL AND l.refunded = 0
                AND l.repaid = 0 AND l.expires_at > p_now AND (l.is_open OR l.expires_at = 'infinity')
            ) IS TRUE), TRUE) AS fast_path
        FROM wallet.entries AS e
        LEFT JOIN wallet.lots AS l ON l.account_id = e.account_id AND l.lot_id = e.lot_id
        WHERE
            e.account_id = coalesce(b.ledger_account_id, b.account_id) AND e.environment = b.environment
            AND e.lot_id IS NOT NULL AND e.version BETWEEN b.first_version AND b.first_version + b.entry_count - 1
    ) AS p
    WHERE i.operation = 'cancel' AND (p_items IS NULL OR i.item = ANY(p_items));
END;
$$;
COMMENT ON FUNCTION wallet.read_cancellations(
    wallet.booking_request[], INTEGER[], TEXT, TIMESTAMPTZ, TIMESTAMPTZ[]
) IS 'Returns all data needed to decide the cancellations of a batch.';
