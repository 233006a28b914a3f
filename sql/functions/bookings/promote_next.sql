-- Promotes one member: books reserved seats, by the usual booking rules, for the first member who was not passed over
-- in this round. One transaction promotes one member, so that no two wallets are locked at once.
-- Returns
--   booked   the member has the seats
--   skipped  the booking was refused, or the member is no longer next; the caller continues with the next member
--   busy     another transaction holds the member's wallet, and members behind must wait: the caller tries again later
--   done     no member is left in this round, or the waitlist is closed; no seat is reserved now
-- Locks: the member's wallet without waiting (a missing wallet is created), then the class's seats. Codes: none.
CREATE OR REPLACE FUNCTION wallet.promote_next(p_class_id TEXT, p_environment wallet.environment) RETURNS TEXT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_picked wallet.waitlist;
    v_next wallet.waitlist;
BEGIN
    v_picked := wallet.next_waiting(p_class_id, p_environment);
    IF v_picked.account_id IS NOT NULL THEN
        PERFORM FROM wallet.wallets AS w
        WHERE w.account_id = v_picked.account_id AND w.environment = p_environment
        FOR UPDATE SKIP LOCKED;
        IF NOT FOUND AND EXISTS (
            SELECT FROM wallet.wallets AS w
            WHERE w.account_id = v_picked.account_id AND w.environment = p_environment
        ) THEN
            RETURN 'busy';
        END IF;
        PERFORM wallet.lock_wallet(v_picked.account_id, p_environment);
    END IF;
    PERFORM FROM wallet.class_seats AS s
    WHERE s.class_id = p_class_id AND s.environment = p_environment
    FOR UPDATE;
    -- All locks are held now, so the earlier reads are repeated.
    v_next := wallet.next_waiting(p_class_id, p_environment);
    IF
        v_next.account_id IS NULL
        OR NOT (SELECT wallet.waitlist_is_open(c) FROM wallet.classes AS c WHERE c.class_id = p_class_id)
    THEN
        PERFORM wallet.release_reserved_seats(p_class_id, p_environment);
        RETURN 'done';
    ELSIF (v_next.account_id, v_next.entry_id) IS DISTINCT FROM (v_picked.account_id, v_picked.entry_id) THEN
        RETURN 'skipped';
    END IF;
    RETURN wallet.promote_one(v_next);
END;
$$;
COMMENT ON FUNCTION wallet.promote_next(TEXT, wallet.environment) IS 'Promotes one member from a class''s waitlist.';

-- Returns the next waitlist entry for a class's reserved seats: the first one that this round has not passed over.
-- Returns null if no seat is reserved.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.next_waiting(p_class_id TEXT, p_environment wallet.environment)
RETURNS wallet.waitlist LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT w.* FROM wallet.waitlist AS w
    INNER JOIN wallet.class_seats AS s ON w.class_id = s.class_id AND w.environment = s.environment
    WHERE
        w.class_id = p_class_id AND w.environment = p_environment AND s.reserved > 0
        AND w.passed_round < s.reservation_round
    ORDER BY w.entry_id
    LIMIT 1;
$$;
COMMENT ON FUNCTION wallet.next_waiting(TEXT, wallet.environment) IS
'Returns the next waitlist entry for a class''s reserved seats.';

-- Books the class for a waiting member, on the terms of the waitlist entry, and returns one of the results of
-- wallet.promote_next. If the booking is refused, the entry stays and is passed over until the next round. If the
-- member has booked already or the account was deleted, the entry is removed.
-- The caller holds the member's wallet and the class's seats. Locks: no others. Codes: none.
CREATE OR REPLACE FUNCTION wallet.promote_one(p_entry wallet.waitlist) RETURNS TEXT LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
DECLARE
    v_request wallet.booking_request;
    v_outcome wallet.booking_outcome;
BEGIN
    v_request.operation := 'book';
    v_request.account_id := p_entry.account_id;
    v_request.environment := p_entry.environment;
    v_request.booking_id := wallet.new_id();
    v_request.class_id := p_entry.class_id;
    v_request.seats := p_entry.seats;
    v_request.pay_with := p_entry.asked_pay_with;
    v_request.max_amount := p_entry.asked_max_amount;
    SELECT d.* INTO v_outcome FROM wallet.decide_batch(ARRAY[v_request], 'wallet', TRUE) AS d;
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

-- Returns up to p_limit classes with seats reserved for the waitlist. The order is random, so that classes whose
-- members' wallets are locked do not block the others.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.classes_to_promote(p_limit INTEGER) RETURNS SETOF wallet.seats_of LANGUAGE sql
VOLATILE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT s.class_id, s.environment FROM wallet.class_seats AS s
    WHERE s.reserved > 0
    ORDER BY random()
    LIMIT p_limit;
$$;
COMMENT ON FUNCTION wallet.classes_to_promote(INTEGER) IS 'Returns classes with seats reserved for the waitlist.';
