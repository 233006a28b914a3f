-- Sends an event of no meaning, endpoint.test, so that somebody sees whether the endpoint takes what is sent. Receivers
-- ignore it, as every type that they do not know.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.send_test_event(
    p_account_id BIGINT,
    p_environment wallet.environment,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    PERFORM wallet.emit('endpoint.test', p_account_id, p_environment);
    RETURN wallet.record_action(
        p_note, 'send-test-event', 'user', NULL, '{}', '{"type": "endpoint.test"}', p_account_id, p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.send_test_event(BIGINT, wallet.environment, wallet.action_note) IS
'Sends an event of no meaning to the endpoint.';
