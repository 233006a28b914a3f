-- Removes a deleted user from the waiting messages, and makes these due, because they no longer wait for the user.
-- Locks: the messages that name the user. Codes: none.
CREATE OR REPLACE FUNCTION wallet.erase_from_inbox(p_user_id TEXT, p_account_token UUID) RETURNS VOID LANGUAGE sql
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    UPDATE wallet.inbox AS i SET
        payload = wallet.without_deleted(i.payload),
        next_attempt_at = CASE WHEN i.next_attempt_at IS NOT NULL THEN least(i.next_attempt_at, wallet.now()) END
    WHERE i.names && ARRAY[p_user_id, p_account_token::TEXT];
$$;
COMMENT ON FUNCTION wallet.erase_from_inbox(TEXT, UUID) IS 'Removes a deleted user from the waiting messages.';
