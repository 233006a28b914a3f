-- Carries out INSERT and DELETE on admin.testers.
-- Locks: the tester's row. Codes: WL422 user-required.
CREATE OR REPLACE FUNCTION wallet.admin_write_tester(p_operation TEXT, p_old RECORD, p_new RECORD) RETURNS RECORD
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.testers := p_old;
    v_new admin.testers := p_new;
BEGIN
    IF p_operation = 'INSERT' THEN
        IF NOT wallet.is_plain_text(v_new.user_id) THEN
            RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'user-required',
                HINT = 'A user_id must be one line without control characters.';
        END IF;
        v_new.user_id := wallet.canonical_user_id(v_new.user_id);
        PERFORM wallet.set_tester(wallet.account_for(v_new.user_id), TRUE, NULL);
        RETURN v_new;
    END IF;
    PERFORM wallet.set_tester(i.account_id, FALSE, NULL) FROM wallet.identities AS i WHERE i.user_id = v_old.user_id;
    RETURN v_new;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_tester(TEXT, RECORD, RECORD) IS
'Carries out INSERT and DELETE on admin.testers.';

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
