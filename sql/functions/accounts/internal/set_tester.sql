-- Adds an account to the testers, or removes it.
-- Locks: the tester's row. Codes: none.
CREATE OR REPLACE FUNCTION wallet.set_tester(p_account_id BIGINT, p_is_tester BOOLEAN, p_note wallet.action_note)
RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_after CONSTANT JSONB := jsonb_build_object('tester', p_is_tester);
BEGIN
    IF p_is_tester THEN
        INSERT INTO wallet.testers (account_id, created_at) VALUES (p_account_id, wallet.now())
        ON CONFLICT (account_id) DO NOTHING;
    ELSE
        DELETE FROM wallet.testers AS t WHERE t.account_id = p_account_id;
    END IF;
    IF NOT FOUND THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    RETURN wallet.record_action(
        p_note, 'set-tester', 'user', NULL, jsonb_build_object('tester', NOT p_is_tester), v_after, p_account_id
    );
END;
$$;
COMMENT ON FUNCTION wallet.set_tester(BIGINT, BOOLEAN, wallet.action_note) IS
'Adds an account to the testers, or removes it.';
