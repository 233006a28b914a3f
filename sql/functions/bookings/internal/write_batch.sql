-- Writes the changes of a batch with one statement for each table, however many items there are. It has no SET clauses,
-- because they cost as much as a small statement; every name in it is qualified.
-- The caller holds the wallets and the seats, and has read the ctids of all rows, including the lots, under those
-- locks. Locks: no others. Codes: none (if a row is no longer at its ctid, the whole batch fails).
CREATE OR REPLACE FUNCTION wallet.write_batch(p_change wallet.batch_change) RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    v_lots BIGINT;
    v_wallets BIGINT;
    v_seats BIGINT;
    v_cancelled BIGINT;
BEGIN
    INSERT INTO wallet.bookings SELECT b.* FROM unnest(p_change.bookings) AS b;
    IF p_change.cancelled IS NOT NULL THEN
        UPDATE wallet.bookings AS b SET
            cancelled_at = p_change.at,
            cancelled_by = c.cancelled_by,
            returned = c.amount,
            -- Later moves of the class no longer affect this booking.
            free_until = c.free_until,
            moves_notified = c.moves
        FROM unnest(p_change.cancelled) AS c
        WHERE b.account_id = c.account_id AND b.booking_id = c.booking_id;
        GET DIAGNOSTICS v_cancelled = ROW_COUNT;
    END IF;
    INSERT INTO wallet.entries SELECT e.* FROM unnest(p_change.entries) AS e;
    UPDATE wallet.lots AS l SET spent = l.spent + c.spent
    FROM unnest(p_change.lot_ctids, p_change.spent) AS c (at, spent)
    WHERE l.ctid = c.at;
    GET DIAGNOSTICS v_lots = ROW_COUNT;
    UPDATE wallet.wallets AS w SET
        credits = c.credits, visits = c.visits, version = c.version, head_hash = c.head_hash, last_at = c.last_at
    FROM unnest(p_change.wallets) AS c
    WHERE w.ctid = c.at;
    GET DIAGNOSTICS v_wallets = ROW_COUNT;
    UPDATE wallet.class_seats AS s SET
        sold = s.sold + c.sold,
        -- A promotion uses reserved seats first. After the cutoff, any booking may use reserved seats that no sweep has
        -- released yet.
        reserved = least(greatest(s.reserved - c.promoted, 0), s.capacity - s.sold - c.sold)
    FROM unnest(p_change.seats) AS c
    WHERE s.ctid = c.at;
    GET DIAGNOSTICS v_seats = ROW_COUNT;
    -- In one write, no wallet has both event types.
    INSERT INTO wallet.outbox (type, account_id, environment, booking_id, version, details, at)
    SELECT
        'booking.cancelled', c.account_id, c.environment, c.booking_id, c.version, NULL::JSONB, p_change.at
    FROM unnest(p_change.cancelled) AS c
    WHERE c.version IS NOT NULL
    UNION ALL
    SELECT
        'booking.created', b.account_id, b.environment, b.booking_id, b.first_version + b.entry_count - 1,
        CASE WHEN b.promoted THEN '{"from_waitlist": true}'::JSONB END, p_change.at
    FROM unnest(p_change.bookings) AS b;
    IF
        v_lots <> coalesce(cardinality(p_change.lot_ctids), 0)
        OR v_wallets <> coalesce(cardinality(p_change.wallets), 0)
        OR v_seats <> coalesce(cardinality(p_change.seats), 0) OR v_cancelled <> cardinality(p_change.cancelled)
    THEN
        RAISE EXCEPTION 'a batch missed rows that it had locked: it found % lots, % wallets, % seats, % bookings',
            v_lots, v_wallets, v_seats, v_cancelled;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.write_batch(wallet.batch_change) IS 'Writes the changes of a batch.';
