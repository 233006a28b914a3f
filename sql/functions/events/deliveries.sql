-- Queues up to p_limit new events of the outbox for delivery, in the order (xid, event_id), moves the cursor past them,
-- and returns how many it queued. Event ids alone are not enough, because an event may commit after one with a higher
-- id. No event can appear any longer below the oldest running transaction, so the function reads only those.
-- One caller runs at a time; a concurrent caller gets 0. A transaction that stays open anywhere in the cluster delays
-- events, but loses none.
-- A database that was dumped and restored into a younger cluster contains transaction ids from that cluster's future,
-- which would delay every event for years. The function then raises WL500. Repair it once with
--   UPDATE wallet.outbox SET xid = '3'; UPDATE wallet.outbox_cursor SET xid = '3', event_id = LAST;
-- where LAST is the highest event_id of wallet.deliveries.
-- Locks: the cursor, SKIP LOCKED. Codes: WL500 outbox-of-another-cluster.
CREATE OR REPLACE FUNCTION wallet.enqueue_deliveries(p_limit INTEGER) RETURNS INTEGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_cursor wallet.outbox_cursor;
    v_taken INTEGER;
BEGIN
    SELECT c.* INTO v_cursor FROM wallet.outbox_cursor AS c FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0;
    ELSIF v_cursor.xid >= pg_snapshot_xmax(pg_current_snapshot()) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL500', MESSAGE = 'outbox-of-another-cluster',
            HINT = 'See sql/functions/events/deliveries.sql.';
    END IF;
    WITH taken AS (
        SELECT o.xid, o.event_id, o.at FROM wallet.outbox AS o
        WHERE
            (o.xid, o.event_id) > (v_cursor.xid, v_cursor.event_id)
            AND o.xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY o.xid, o.event_id
        LIMIT p_limit
    ),

    added AS (
        INSERT INTO wallet.deliveries (event_id, event_at, next_attempt_at)
        SELECT t.event_id, t.at, wallet.now() FROM taken AS t
        -- An administrator may have sent the event earlier.
        ON CONFLICT (event_id) DO NOTHING
    ),

    moved AS (
        UPDATE wallet.outbox_cursor AS c SET xid = t.xid, event_id = t.event_id
        FROM (SELECT n.xid, n.event_id FROM taken AS n ORDER BY n.xid DESC, n.event_id DESC LIMIT 1) AS t
    )

    SELECT count(*) INTO STRICT v_taken FROM taken;
    RETURN v_taken;
END;
$$;
COMMENT ON FUNCTION wallet.enqueue_deliveries(INTEGER) IS 'Queues new events of the outbox for delivery.';

-- Leases up to p_limit events that are due at the endpoint, each with the id and the body to send and sign. The lease
-- lasts a minute; then another instance may take the events. The id never changes, so a receiver recognizes duplicates.
-- Locks: due deliveries, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.due_deliveries(p_limit INTEGER) RETURNS SETOF wallet.due_delivery LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    WITH due AS (
        SELECT d.event_id FROM wallet.deliveries AS d
        WHERE d.status = 'pending' AND d.next_attempt_at <= (SELECT wallet.now())
        ORDER BY d.next_attempt_at, d.event_id
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    ),

    leased AS (
        UPDATE wallet.deliveries AS d SET next_attempt_at = (SELECT wallet.now()) + INTERVAL '60 seconds'
        FROM due AS n
        WHERE d.event_id = n.event_id
        RETURNING d.event_id, d.event_at, d.attempts
    )

    SELECT l.event_id, 'evt_' || l.event_id, wallet.event_body(o)::TEXT, l.attempts, o.account_id
    FROM leased AS l
    INNER JOIN wallet.outbox AS o ON l.event_at = o.at AND l.event_id = o.event_id
    ORDER BY l.event_id;
$$;
COMMENT ON FUNCTION wallet.due_deliveries(INTEGER) IS 'Leases events that are due at the endpoint, for a minute.';

-- Returns the body of an outgoing event: {"type", "timestamp", "data"}, with the timestamp in RFC 3339 in whole
-- seconds. A receiver orders the events of one wallet by data.version, and recognizes duplicates by data.event_id.
--
--   all types             event_id, user_id (null once the user is erased), environment, version (of the wallet)
--   credits.granted       unit, amount (the movement, signed: refunds, expiries and debits are negative), balance_after
--   credits.debited       (spendable in that unit), store, transaction_id, product_id (these three are null without a
--   credits.refunded      purchase), lot_id (null if the movement is not of one lot)
--   credits.expired
--   credits.transferred
--   credits.low           unit, balance, threshold
--   credits.expiring      unit, amount (that will expire), expires_at, lot_id, source, product_id
--   lot.frozen            lot_id, product_id, frozen_from, frozen_until, expires_at
--   lot.unfrozen          the same; the first two times are those of an earlier freeze, or null
--   booking.created       booking_id, class_id, class_title, starts_at, seats, unit (null when unlimited), amount
--   booking.cancelled     the same, and cancelled_at, cancelled_by (user, studio, wallet), late_cancel, returned, and
--                         fee and strike if the late cancellation has a consequence
--   booking.moved         the same as created, with the class's new start, and ends_at, free_until
--   booking.attended      the same as created, and checked_in (whether the member checked in)
--   booking.no_show       the same as created, and fee (in credits) and strike
--   booking.excused       the same as created; like the next one, it withdraws the fee and the strike of a no-show
--   booking.unmarked      the same as created; the mark was removed
--   user.booking_blocked  blocked_until (strikes block bookings until then; a later event replaces an earlier one)
--   user.booking_unblocked  no further members; strikes no longer block bookings
--   waitlist.*            the details given to wallet.emit: class_id, and place if there is one
--   subscription.*        the details given to wallet.emit
--   waitlist.joined       class_id, place (from 1)
--   waitlist.left         class_id; a member who books leaves with booking.created instead (from_waitlist if promoted)
--   waitlist.removed      class_id; the class is cancelled
--   review_flag.raised    the details given to wallet.emit
--   endpoint.test         no further members; an operator tests the endpoint
--
-- waitlist.* are joined, left and removed (the class was cancelled).
-- credits.low and credits.expiring are warnings, not movements. subscription.* are started, renewed,
-- billing_failed, grace_started, cancelled, uncancelled, expired, refunded, revoked, paused, resumed (active again in
-- the same period) and transferred. Details override members of the same name, so that the caller can replace them. The
-- amount of the other credits.* always comes from the ledger, because the details contain it without its sign; only
-- the former owner of a moved lot has it from the details.
CREATE OR REPLACE FUNCTION wallet.event_body(p_event wallet.outbox) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'type', p_event.type,
        'timestamp', wallet.rfc3339(p_event.at),
        'data', jsonb_build_object(
            'event_id', p_event.event_id,
            'user_id', (
                SELECT i.user_id FROM wallet.accounts AS a
                INNER JOIN wallet.identities AS i ON coalesce(a.merged_into, a.account_id) = i.account_id
                WHERE a.account_id = p_event.account_id AND i.merged_at IS NULL
                ORDER BY i.user_id
                LIMIT 1
            ),
            'environment', p_event.environment,
            'version', p_event.version
        ) || CASE
            WHEN p_event.type IN ('credits.low', 'credits.expiring') THEN '{}'
            WHEN p_event.type LIKE 'credits.%' THEN '{"lot_id": null}' || wallet.event_movement(p_event)
            WHEN p_event.type LIKE 'booking.%' THEN coalesce(wallet.event_booking(p_event), '{}')
            ELSE '{}'
        END || CASE
            WHEN p_event.type = 'credits.expiring' THEN p_event.details
            WHEN p_event.type LIKE 'credits.%' THEN coalesce(p_event.details, '{}') - 'amount'
            ELSE coalesce(p_event.details, '{}')
        END
    );
$$;
COMMENT ON FUNCTION wallet.event_body(wallet.outbox) IS 'Returns the body of an outgoing event.';

-- Returns the members of a booking.* event; wallet.event_body lists them. If the booking's account was merged, the
-- booking is found under the other account.
CREATE OR REPLACE FUNCTION wallet.event_booking(p_event wallet.outbox) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'booking_id', b.booking_id,
        'class_id', b.class_id,
        'class_title', c.title,
        'starts_at', wallet.rfc3339(c.starts_at),
        'seats', b.seats,
        'unit', b.unit,
        'amount', b.amount
    ) || CASE WHEN p_event.type = 'booking.cancelled' THEN jsonb_build_object(
        'cancelled_at', wallet.rfc3339(b.cancelled_at),
        'cancelled_by', b.cancelled_by,
        'late_cancel', b.cancelled_by = 'user' AND b.cancelled_at > b.free_until,
        'returned', b.returned
    ) ELSE '{}' END
    FROM wallet.accounts AS a
    INNER JOIN wallet.bookings AS b
        ON b.account_id IN (a.account_id, a.merged_into) AND b.booking_id = p_event.booking_id
    INNER JOIN wallet.classes AS c ON b.class_id = c.class_id
    WHERE a.account_id = p_event.account_id;
$$;
COMMENT ON FUNCTION wallet.event_booking(wallet.outbox) IS 'Returns the members of a booking.* event.';

-- Returns the members of a credits.* event: the movement and its purchase; wallet.event_body lists them. The event
-- reports the movement posted just before its version. That is the last matching entry of its claim, together with the
-- amounts returned to lots that had repaid its debt. Without a claim, it is the adjustment or the import that the
-- version belongs to, otherwise the version's own entry.
CREATE OR REPLACE FUNCTION wallet.event_movement(p_event wallet.outbox) RETURNS JSONB LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT jsonb_build_object(
        'unit', coalesce(m.unit, a.unit, e.unit),
        'amount', coalesce(s.moved, a.amount, i.amount, e.amount - e.owed_change),
        'balance_after', e.balance_after,
        'store', c.store,
        'transaction_id', coalesce(c.transaction_id, c.order_id, c.purchase_token, c.original_transaction_id),
        'product_id', coalesce(c.product_id, c.store_product_id)
    )
    FROM (SELECT p_event.claim_id) AS o (claim_id)
    LEFT JOIN wallet.claims AS c ON o.claim_id = c.claim_id
    LEFT JOIN wallet.entries AS e
        ON e.account_id = p_event.account_id AND e.environment = p_event.environment AND e.version = p_event.version
    LEFT JOIN LATERAL (
        SELECT n.version, n.unit, n.kind FROM wallet.entries AS n
        WHERE
            n.account_id = p_event.account_id AND n.environment = p_event.environment
            AND n.version <= p_event.version AND n.claim_id = o.claim_id
            AND n.kind = ANY(CASE p_event.type
                WHEN 'credits.granted' THEN ARRAY['grant', 'refund_reversal', 'rollover', 'reopen']
                WHEN 'credits.refunded' THEN ARRAY['refund']
                WHEN 'credits.expired' THEN ARRAY['lapse']
                WHEN 'credits.transferred' THEN ARRAY['transfer_in', 'transfer_out']
            END)
        ORDER BY n.version DESC
        LIMIT 1
    ) AS m ON TRUE
    LEFT JOIN LATERAL (
        -- If refunded credits were already spent, the wallet owes them. The movement is the change of balance and debt
        -- together.
        SELECT sum(n.amount - n.owed_change)::BIGINT AS moved FROM wallet.entries AS n
        WHERE
            n.account_id = p_event.account_id AND n.environment = p_event.environment
            AND n.version BETWEEN m.version AND p_event.version AND n.kind IN (m.kind, 'repay_return')
    ) AS s ON TRUE
    LEFT JOIN wallet.adjustments AS a
        ON
            o.claim_id IS NULL AND a.account_id = p_event.account_id AND a.environment = p_event.environment
            AND p_event.version BETWEEN a.first_version AND a.first_version + a.entry_count - 1
    LEFT JOIN LATERAL (
        -- The whole imported history is one movement.
        SELECT sum(n.amount)::BIGINT AS amount FROM wallet.imports AS m
        INNER JOIN wallet.entries AS n
            ON
                m.account_id = n.account_id AND m.environment = n.environment AND n.kind = 'import'
                AND n.version BETWEEN m.first_version AND p_event.version
        WHERE
            o.claim_id IS NULL AND m.account_id = p_event.account_id AND m.environment = p_event.environment
            AND p_event.version BETWEEN m.first_version AND m.first_version + m.entry_count - 1
            AND n.unit = e.unit
    ) AS i ON TRUE;
$$;
COMMENT ON FUNCTION wallet.event_movement(wallet.outbox) IS 'Returns the members of a credits.* event.';

-- Returns an instant in the interface's format: RFC 3339, UTC, whole seconds.
CREATE OR REPLACE FUNCTION wallet.rfc3339(p_at TIMESTAMPTZ) RETURNS TEXT LANGUAGE plpgsql STABLE
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
END;
$$;
COMMENT ON FUNCTION wallet.rfc3339(TIMESTAMPTZ) IS 'Returns an instant in RFC 3339, UTC, whole seconds.';

-- Records the result of one attempt to deliver an event. p_error is null if it was delivered, otherwise the HTTP status
-- or an error code, never a response body. Retries follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24
-- h; after one more failure, the delivery is dead until an administrator resends it. A delivered event stays delivered
-- even if a slower attempt fails later. A dead event becomes delivered if a late attempt succeeds.
-- Locks: the delivery's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.record_delivery(p_event_id BIGINT, p_error TEXT) RETURNS VOID LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.deliveries AS d SET
        status = CASE WHEN p_error IS NULL THEN 'delivered' WHEN d.attempts >= 9 THEN 'dead' ELSE 'pending' END,
        attempts = d.attempts + 1,
        next_attempt_at = CASE
            WHEN p_error IS NULL OR d.attempts >= 9 THEN d.next_attempt_at
            ELSE (SELECT wallet.now()) + (ARRAY[
                INTERVAL '5 seconds', INTERVAL '5 minutes', INTERVAL '30 minutes', INTERVAL '2 hours',
                INTERVAL '5 hours', INTERVAL '10 hours', INTERVAL '14 hours', INTERVAL '20 hours', INTERVAL '24 hours'
            ])[d.attempts + 1]
        END,
        last_error = left(p_error, 500),
        delivered_at = CASE WHEN p_error IS NULL THEN (SELECT wallet.now()) END
    WHERE d.event_id = p_event_id AND (d.status = 'pending' OR (d.status = 'dead' AND p_error IS NULL));
$$;
COMMENT ON FUNCTION wallet.record_delivery(BIGINT, TEXT) IS 'Records the result of one attempt to deliver an event.';

-- Deletes up to p_limit deliveries that succeeded longer ago than p_keep, and returns how many rows it deleted. Dead
-- deliveries stay until an administrator resends them. Events and messages are dropped by the week, see
-- wallet.keep_partitions.
-- Locks: the rows that it deletes, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.drop_old_events(p_keep INTERVAL, p_limit INTEGER) RETURNS INTEGER LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    -- This uses an array because a join would read all remaining rows.
    WITH delivered AS (
        DELETE FROM wallet.deliveries AS d WHERE d.event_id = ANY(ARRAY(
            SELECT o.event_id FROM wallet.deliveries AS o
            WHERE o.status = 'delivered' AND o.delivered_at < (SELECT wallet.now()) - p_keep
            ORDER BY o.delivered_at
            LIMIT p_limit
            FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    )

    SELECT count(*)::INTEGER FROM delivered;
$$;
COMMENT ON FUNCTION wallet.drop_old_events(INTERVAL, INTEGER) IS 'Deletes old successful deliveries.';
