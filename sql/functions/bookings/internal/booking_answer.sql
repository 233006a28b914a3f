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
    SELECT
        NULL::INTEGER, p_status, NULL::TEXT, NULL::JSONB, p_replayed, b.booking_id, b.class_id, b.class_title,
        b.starts_at, b.status, b.seats, b.unit, b.amount, b.free_minutes_before, b.free_until, b.created_at,
        b.cancelled_at, b.late_cancel, b.returned, w.credits, w.visits, w.version, b.moved, b.promoted, b.cancelled_by,
        p.lot_ids, p.amounts, NULL::BIGINT, NULL::TIMESTAMPTZ
    INTO v_outcome
    FROM wallet.booking_details AS b
    INNER JOIN wallet.wallets AS w ON w.account_id = b.account_id AND w.environment = b.environment
    CROSS JOIN LATERAL (
        SELECT
            coalesce(array_agg((s.slice ->> 'lot_id')::UUID ORDER BY s.place), '{}') AS lot_ids,
            coalesce(array_agg((s.slice ->> 'amount')::BIGINT ORDER BY s.place), '{}') AS amounts
        FROM jsonb_array_elements(b.slices) WITH ORDINALITY AS s (slice, place)
    ) AS p
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.booking_answer(INTEGER, BOOLEAN, BIGINT, UUID) IS
'Returns an answer with the current booking and the current balance.';
