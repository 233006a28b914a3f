-- Books the class for a waiting member, on the terms of the waitlist entry, and returns one of the results of
-- wallet.promote_next. If the booking is refused, the entry stays and is passed over until the next round. If the
-- member has booked already or the account was deleted, the entry is removed.
-- The caller holds the member's wallet and the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.promote_one(p_entry wallet.waitlist) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_outcome wallet.booking_outcome;
BEGIN
    SELECT d.* INTO v_outcome FROM wallet.decide_batch(ARRAY[ROW(
        p_entry.account_id, p_entry.environment, 'book', wallet.new_id(), NULL, p_entry.class_id, p_entry.seats,
        p_entry.asked_pay_with, p_entry.asked_max_amount
    )::wallet.booking_request], 'wallet', TRUE) AS d;
    IF v_outcome.status = 201 THEN
        RETURN 'booked';
    ELSIF v_outcome.status = 503 THEN
        RETURN 'busy';
    ELSIF v_outcome.slug IN ('already-booked', 'unauthenticated') THEN
        PERFORM wallet.stop_waiting(p_entry.account_id, p_entry.environment, p_entry.class_id);
    ELSE
        UPDATE wallet.waitlist AS w SET passed_round = s.reservation_round
        FROM wallet.class_seats AS s
        WHERE
            w.class_id = p_entry.class_id AND w.environment = p_entry.environment
            AND w.account_id = p_entry.account_id
            AND s.class_id = w.class_id AND s.environment = w.environment;
    END IF;
    RETURN 'skipped';
END;
$$;
COMMENT ON FUNCTION wallet.promote_one(wallet.waitlist) IS 'Books the class for a waiting member.';
