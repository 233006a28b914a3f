-- Waives a late cancellation, once. The full payment returns to the lots that paid, also if other accounts hold them
-- now. A lot that has ended reopens for its days of grace, starting now. If it has reopened before, the returned amount
-- lapses immediately.
-- Locks: the wallet; then, without waiting, the wallets that now own lots that paid.
-- Codes: WL404 booking-not-found, WL404 user-not-found (the account was deleted), WL409 nothing-to-waive, WL422
-- reason-required, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.waive_cancellation(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_now TIMESTAMPTZ;
    v_booking wallet.bookings;
    v_item wallet.batch_item;
    v_before JSONB;
BEGIN
    IF wallet.is_plain_text(p_note.reason) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required';
    END IF;
    PERFORM wallet.lock_wallet(p_account_id, p_environment) FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    SELECT b.* INTO v_booking FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'booking-not-found';
    ELSIF EXISTS (
        SELECT FROM wallet.accounts AS a WHERE a.account_id = p_account_id AND a.deleted_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'user-not-found';
    END IF;
    v_before := wallet.booking_state(p_account_id, p_booking_id);
    IF NOT (v_before @> '{"late_cancel": true, "returned": 0}' AND v_booking.amount > 0) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'nothing-to-waive';
    ELSIF NOT wallet.lock_lot_owners(p_account_id, p_environment, wallet.booking_slices(v_booking)) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    UPDATE wallet.bookings AS b SET returned = b.amount
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id;
    v_now := wallet.now();
    v_item.account_id := p_account_id;
    v_item.environment := p_environment;
    v_item.booking_id := p_booking_id;
    v_item.cancelled_by := 'studio';
    PERFORM wallet.return_slices(v_item, v_now);
    RETURN wallet.record_action(
        p_note, 'waive-cancellation', 'booking', p_booking_id::TEXT, v_before,
        wallet.booking_state(p_account_id, p_booking_id), p_account_id, p_environment, v_now
    );
END;
$$;
COMMENT ON FUNCTION wallet.waive_cancellation(BIGINT, wallet.environment, UUID, wallet.action_note) IS
'Waives a late cancellation, once: the full payment returns.';
