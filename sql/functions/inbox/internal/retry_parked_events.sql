-- Makes the messages that wait for a user due at once, and returns how many: those that are parked and name the user.
-- p_user_id and p_account_token: the names by which a message may name the user, as wallet.inbox keeps them.
-- One that somebody holds is being tried just now and is passed over.
-- Locks: the messages, SKIP LOCKED. Codes: none.
CREATE OR REPLACE FUNCTION wallet.retry_parked_events(p_user_id TEXT, p_account_token UUID) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_count INTEGER;
BEGIN
    WITH waiting AS (
        SELECT i.inbox_id FROM wallet.inbox AS i
        WHERE
            i.status = 'parked' AND i.next_attempt_at > (SELECT wallet.now())
            AND i.names && ARRAY[p_user_id, p_account_token::TEXT]
        FOR UPDATE SKIP LOCKED
    ),

    woken AS (
        UPDATE wallet.inbox AS i SET next_attempt_at = (SELECT wallet.now())
        FROM waiting AS w
        WHERE i.inbox_id = w.inbox_id
        RETURNING 1
    )

    SELECT count(*)::INTEGER INTO v_count FROM woken;
    RETURN v_count;
END;
$$;
COMMENT ON FUNCTION wallet.retry_parked_events(TEXT, UUID) IS 'Makes the messages that wait for a user due at once.';
