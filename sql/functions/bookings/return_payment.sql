-- Returns the lots that paid for a booking, in the order of its entries. Each part names the account that holds the lot
-- now.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.booking_slices(p_booking wallet.bookings) RETURNS wallet.owned_slice[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT coalesce(array_agg(
            ROW(wallet.lot_owner(e.account_id, e.lot_id), e.lot_id, -e.amount)::wallet.owned_slice ORDER BY e.version
        ), '{}')
        FROM wallet.entries AS e
        WHERE
            e.account_id = coalesce(p_booking.ledger_account_id, p_booking.account_id)
            AND e.environment = p_booking.environment AND e.lot_id IS NOT NULL
            AND e.version BETWEEN p_booking.first_version AND p_booking.first_version + p_booking.entry_count - 1
    );
END;
$$;
COMMENT ON FUNCTION wallet.booking_slices(wallet.bookings) IS
'Returns the lots that paid for a booking, and the accounts that hold them now.';

-- Returns the payment of a cancelled booking to the lots that paid, in the order of payment, applies or withdraws the
-- consequence of the booking, and answers the cancellation. The lots may belong to other accounts now. If a lot has
-- ended and the studio cancelled or moved the class, the lot reopens for its days of grace.
-- A late cancellation by the user has the consequence of the booking's terms. Any other removes the mark of the
-- attendance with its consequence.
-- p_item: its amount is the amount that returns, all or nothing.
-- The caller holds the wallets of all holders. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.return_slices(p_item wallet.batch_item, p_now TIMESTAMPTZ)
RETURNS wallet.booking_outcome LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking wallet.bookings;
    v_slice wallet.owned_slice;
    v_consequence wallet.consequences;
BEGIN
    SELECT b.* INTO STRICT v_booking FROM wallet.bookings AS b
    WHERE b.account_id = p_item.account_id AND b.booking_id = p_item.booking_id;
    FOREACH v_slice IN ARRAY CASE WHEN p_item.amount > 0 THEN wallet.booking_slices(v_booking) ELSE '{}' END LOOP
        PERFORM wallet.return_to_lot(
            v_slice.account_id, p_item.environment, v_slice.lot_id, 'return', v_slice.amount, p_item.booking_id,
            CASE WHEN p_item.cancelled_by = 'studio' OR p_item.moved THEN p_now END
        );
        IF v_slice.account_id <> p_item.account_id THEN
            PERFORM wallet.emit(
                'credits.granted', v_slice.account_id, p_item.environment, p_booking_id => p_item.booking_id
            );
        END IF;
    END LOOP;
    IF p_item.cancelled_by = 'user' AND p_now > p_item.free_until THEN
        v_consequence := wallet.apply_consequence(v_booking, 'late_cancel', p_now);
    ELSE
        PERFORM wallet.mark_booking(v_booking, NULL, FALSE);
        -- A late cancellation has a consequence without a mark.
        PERFORM wallet.withdraw_consequence(v_booking);
    END IF;
    PERFORM wallet.emit(
        'booking.cancelled', p_item.account_id, p_item.environment, p_booking_id => p_item.booking_id,
        p_details => CASE WHEN v_consequence.booking_id IS NOT NULL THEN jsonb_build_object(
            'fee', v_consequence.fee, 'strike', v_consequence.strike
        ) END
    );
    RETURN wallet.booking_answer(200, FALSE, p_item.account_id, p_item.booking_id);
END;
$$;
COMMENT ON FUNCTION wallet.return_slices(wallet.batch_item, TIMESTAMPTZ) IS
'Returns the payment of a booking to the lots that paid.';

-- Returns the answer to an item: the current booking and the current balance.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.booking_answer(
    p_status INTEGER,
    p_replayed BOOLEAN,
    p_account_id BIGINT,
    p_booking_id UUID
) RETURNS wallet.booking_outcome LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.booking_outcome;
BEGIN
    v_outcome.status := p_status;
    v_outcome.replayed := p_replayed;
    SELECT
        b.booking_id, b.class_id, b.class_title, b.starts_at, b.status, b.seats, b.unit, b.amount,
        b.free_minutes_before, b.free_until, b.created_at, b.cancelled_at, b.late_cancel, b.returned, w.credits,
        w.visits, w.version, b.moved, b.promoted, b.cancelled_by, p.lot_ids, p.amounts, b.attendance, b.fee, b.strike
    INTO
        v_outcome.booking_id, v_outcome.class_id, v_outcome.class_title, v_outcome.starts_at,
        v_outcome.booking_status, v_outcome.seats, v_outcome.unit, v_outcome.amount,
        v_outcome.free_minutes_before, v_outcome.free_until, v_outcome.created_at, v_outcome.cancelled_at,
        v_outcome.late_cancel, v_outcome.returned, v_outcome.credits, v_outcome.visits, v_outcome.version,
        v_outcome.moved, v_outcome.promoted, v_outcome.cancelled_by, v_outcome.lot_ids, v_outcome.lot_amounts,
        v_outcome.attendance, v_outcome.fee, v_outcome.strike
    FROM wallet.booking_details AS b
    INNER JOIN wallet.wallets AS w ON w.account_id = b.account_id AND w.environment = b.environment
    CROSS JOIN LATERAL (
        SELECT
            coalesce(array_agg(s.lot_id ORDER BY s.place), '{}') AS lot_ids,
            coalesce(array_agg(s.amount ORDER BY s.place), '{}') AS amounts
        FROM unnest(b.slices) WITH ORDINALITY AS s (lot_id, amount, place)
    ) AS p
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.booking_answer(INTEGER, BOOLEAN, BIGINT, UUID) IS
'Returns an answer with the current booking and the current balance.';
