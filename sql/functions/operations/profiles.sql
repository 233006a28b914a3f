-- Carries out UPDATE admin.users.
-- Locks and codes: see wallet.set_profile; WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_update_user(p_old RECORD, p_new RECORD) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_old CONSTANT admin.users := p_old;
    v_new CONSTANT admin.users := p_new;
BEGIN
    IF to_jsonb(v_old) - ARRAY['name', 'email', 'reason'] IS DISTINCT FROM to_jsonb(v_new) - ARRAY['name', 'email', 'reason']
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'Only name and email can be set, with a reason.';
    END IF;
    PERFORM wallet.set_profile(
        v_old.account_id, v_new.name, v_new.email, ROW(session_user, v_new.reason, NULL, NULL)::wallet.action_note
    );
END;
$$;
COMMENT ON FUNCTION wallet.admin_update_user(RECORD, RECORD) IS 'Carries out UPDATE admin.users.';

-- Sets the name and the email address of a user; null or an empty text removes a value. A changed value is not replaced
-- by later tokens and imports; a removed value may be. The answer has the values, and the audit only which of them
-- changed, because its rows are never erased.
-- Locks: the account against deletion and merging, then the profile. Codes: WL503 wallet-busy.
CREATE OR REPLACE FUNCTION wallet.set_profile(
    p_account_id BIGINT,
    p_name TEXT,
    p_email TEXT,
    p_note wallet.action_note
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_name CONSTANT TEXT := nullif(btrim(p_name), '');
    v_email CONSTANT TEXT := nullif(btrim(p_email), '');
    v_known wallet.profiles;
    v_before JSONB;
    v_after JSONB;
    v_answer wallet.action_answer;
BEGIN
    PERFORM FROM wallet.accounts AS a
    WHERE a.account_id = p_account_id AND a.deleted_at IS NULL AND a.merged_into IS NULL
    FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL503', MESSAGE = 'wallet-busy';
    END IF;
    SELECT p.* INTO v_known FROM wallet.profiles AS p WHERE p.account_id = p_account_id FOR UPDATE;
    IF v_known.name IS NOT DISTINCT FROM v_name AND v_known.email IS NOT DISTINCT FROM v_email THEN
        RETURN ROW(NULL, TRUE, '{}', '{}', NULL)::wallet.action_answer;
    END IF;
    IF v_name IS NULL AND v_email IS NULL THEN
        DELETE FROM wallet.profiles AS p WHERE p.account_id = p_account_id;
    ELSE
        INSERT INTO wallet.profiles (account_id, name, name_source, email, email_source)
        VALUES (
            p_account_id,
            v_name,
            CASE WHEN v_name = v_known.name THEN v_known.name_source WHEN v_name IS NOT NULL THEN 'operator' END,
            v_email,
            CASE WHEN v_email = v_known.email THEN v_known.email_source WHEN v_email IS NOT NULL THEN 'operator' END
        )
        ON CONFLICT (account_id) DO UPDATE SET
            name = excluded.name,
            name_source = excluded.name_source,
            email = excluded.email,
            email_source = excluded.email_source;
    END IF;
    SELECT
        coalesce(jsonb_object_agg(c.key, c.old), '{}'), coalesce(jsonb_object_agg(c.key, c.new), '{}')
        INTO v_before, v_after
    FROM (VALUES ('name', v_known.name, v_name), ('email', v_known.email, v_email)) AS c (key, old, new)
    WHERE c.old IS DISTINCT FROM c.new;
    v_answer := wallet.record_action(
        p_note, 'put-profile', 'user', NULL, '{}', (
            SELECT jsonb_object_agg(c.key, CASE c.value WHEN 'null' THEN 'removed' ELSE 'set' END)
            FROM jsonb_each(v_after) AS c
        ), p_account_id
    );
    v_answer.before := v_before;
    v_answer.after := v_after;
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.set_profile(BIGINT, TEXT, TEXT, wallet.action_note) IS
'Sets the name and the email address of a user.';
