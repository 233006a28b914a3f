-- Takes a deleted user out of the messages that still wait, and makes these due, for they wait for nobody now.
-- Locks: the messages that name the user. Codes: none.
CREATE OR REPLACE FUNCTION wallet.erase_from_inbox(p_user_id TEXT, p_account_token UUID) RETURNS VOID LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.inbox AS i SET
        payload = wallet.without_deleted(i.payload),
        next_attempt_at = CASE WHEN i.next_attempt_at IS NOT NULL THEN least(i.next_attempt_at, wallet.now()) END
    WHERE i.names && ARRAY[p_user_id, p_account_token::TEXT];
$$;
COMMENT ON FUNCTION wallet.erase_from_inbox(TEXT, UUID) IS 'Takes a deleted user out of the messages that still wait.';
