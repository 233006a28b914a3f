-- Cancels a booking for its user, by one of two policies. By the user's policy, a late cancellation returns nothing,
-- and no booking can be cancelled once the class has begun. By the studio's policy (p_in_full), everything returns at
-- any time.
-- Locks: see wallet.decide_batch. Codes: WL404 booking-not-found, WL409 not-cancellable (also if already cancelled),
-- WL422 reason-required, WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.cancel_for_user(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_booking_id UUID,
    p_in_full BOOLEAN,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_booking wallet.bookings;
    v_before JSONB;
    v_outcome wallet.booking_outcome;
BEGIN
    IF wallet.is_plain_text(p_note.reason) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'reason-required';
    END IF;
    -- As in every cancellation, expired lots lapse first. The lock keeps other transactions from changing the wallet.
    PERFORM wallet.lock_wallet(p_account_id, p_environment) FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    SELECT b.* INTO v_booking FROM wallet.bookings AS b
    WHERE b.account_id = p_account_id AND b.booking_id = p_booking_id AND b.environment = p_environment;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL404', MESSAGE = 'booking-not-found';
    ELSIF v_booking.cancelled_at IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'not-cancellable';
    END IF;
    v_before := wallet.booking_state(p_account_id, p_booking_id);
    SELECT c.* INTO v_outcome
    FROM wallet.cancel_bookings(ARRAY[v_booking], CASE WHEN p_in_full THEN 'studio' ELSE 'user' END) AS c;
    IF v_outcome.slug IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL' || v_outcome.status, MESSAGE = v_outcome.slug;
    END IF;
    RETURN wallet.record_action(
        p_note, 'cancel-booking', 'booking', p_booking_id::TEXT, v_before,
        wallet.booking_state(p_account_id, p_booking_id), p_account_id, p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.cancel_for_user(BIGINT, wallet.environment, UUID, BOOLEAN, wallet.action_note) IS
'Cancels a booking for its user, by the user''s policy or with a full return.';
