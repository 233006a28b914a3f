-- Promotes one member: books for the first who waits and was not passed over in this round, by the arithmetic of
-- booking, from the seats that are reserved. One member per transaction, so that no two wallets are locked at once.
-- Answers
--   booked   they have the seats now
--   skipped  they cannot have them: passed over until seats come free again; or they are not next any more. Go on
--   busy     somebody holds their wallet, and nobody behind them comes first: try later
--   done     nobody is left in this round, or the class takes no more from its waitlist: no seat is reserved any more
-- Locks: the member's wallet without waiting (a wallet that is missing is made), then the class's seats. Codes: none.
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
    -- Only now nothing can change any more: all that was seen before is looked at again.
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
COMMENT ON FUNCTION wallet.promote_next(TEXT, wallet.environment) IS
'Promotes one member from a class''s waitlist.';
