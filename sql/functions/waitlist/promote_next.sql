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
