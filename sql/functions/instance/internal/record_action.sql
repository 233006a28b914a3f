-- Records an action of an operator or administrator in the audit, in the transaction that carries it out. It stores
-- only the members that changed; the caller leaves out everything that identifies a user. If a statement cannot contain
-- a reason, the setting wallet.reason supplies it.
-- p_named: the users, by id or account token, that the texts may name if there is no account.
-- p_at: the time of the action, if it must equal the time in the ledger.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.record_action(
    p_note wallet.action_note,
    p_action TEXT,
    p_kind TEXT,
    p_object_id TEXT,
    p_before JSONB,
    p_after JSONB,
    p_account_id BIGINT DEFAULT NULL,
    p_environment wallet.environment DEFAULT NULL,
    p_at TIMESTAMPTZ DEFAULT NULL,
    p_named TEXT[] DEFAULT NULL
) RETURNS wallet.action_answer LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_answer wallet.action_answer;
BEGIN
    v_answer.replayed := FALSE;
    SELECT coalesce(jsonb_object_agg(o.key, o.value), '{}') INTO v_answer.before FROM jsonb_each(p_before) AS o
    WHERE o.value IS DISTINCT FROM p_after -> o.key AND o.value <> 'null';
    SELECT coalesce(jsonb_object_agg(n.key, n.value), '{}') INTO v_answer.after FROM jsonb_each(p_after) AS n
    WHERE n.value IS DISTINCT FROM p_before -> n.key AND (n.value <> 'null' OR p_before ? n.key);
    INSERT INTO wallet.audit (
        at, role, action, kind, object_id, account_id, environment, before, after, reference_digest, request_digest
    ) VALUES (
        coalesce(p_at, wallet.now()), session_user, p_action, p_kind, p_object_id, p_account_id, p_environment, v_answer.before,
        v_answer.after, wallet.reference_digest(p_action, p_note.reference, p_note.request),
        sha256(convert_to(p_note.request::TEXT, 'UTF8'))
    ) RETURNING audit_id INTO v_answer.audit_id;
    INSERT INTO wallet.audit_texts (audit_id, actor, reason, reference, named) VALUES (
        v_answer.audit_id, coalesce(p_note.actor, session_user),
        coalesce(p_note.reason, nullif(current_setting('wallet.reason', TRUE), '')), p_note.reference,
        (SELECT array_agg(wallet.user_digest(n.name)) FROM unnest(p_named) AS n (name))
    );
    RETURN v_answer;
END;
$$;
COMMENT ON FUNCTION wallet.record_action(
    wallet.action_note, TEXT, TEXT, TEXT, JSONB, JSONB, BIGINT, wallet.environment, TIMESTAMPTZ, TEXT[]
) IS 'Records an action of an operator or administrator in the audit.';
