-- Sends the test event endpoint.test, to check that the endpoint accepts deliveries. Receivers ignore it, like every
-- unknown type.
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
'Sends a test event to the endpoint.';
