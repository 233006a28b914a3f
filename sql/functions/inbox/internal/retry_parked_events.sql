-- Makes the parked messages that name a user due immediately, and returns how many. It skips messages that another
-- transaction is processing.
-- p_user_id and p_account_token: the two names of the user that a message may contain, as wallet.inbox stores them.
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
COMMENT ON FUNCTION wallet.retry_parked_events(TEXT, UUID) IS
'Makes the parked messages that name a user due immediately.';
