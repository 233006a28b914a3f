-- Refuses an action if the operator lacks the required role.
-- Locks: none. Codes: WL400 malformed-request for an unknown action, WL403 right-missing.
CREATE OR REPLACE FUNCTION wallet.check_right(p_action TEXT, p_right wallet.operator_right)
RETURNS VOID LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_needs CONSTANT wallet.operator_right := (SELECT r.needs FROM wallet.action_rights AS r WHERE r.action = p_action);
BEGIN
    IF v_needs IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'malformed-request';
    ELSIF p_right >= v_needs IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'right-missing',
            DETAIL = jsonb_build_object('right', p_right, 'needs', v_needs)::TEXT;
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.check_right(TEXT, wallet.operator_right) IS
'Refuses an action if the operator lacks the required role.';

-- Returns whether an operator's key has already carried out this request, and records the key if not. Refuses another
-- request under the same key. A null key (an administrator in SQL) is always a new request.
-- Locks: the key's row. Codes: WL422.
CREATE OR REPLACE FUNCTION wallet.operator_replays(p_actor TEXT, p_key TEXT, p_operation TEXT, p_request JSONB)
RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_actor CONSTANT BYTEA := sha256(convert_to(p_actor, 'UTF8'));
    v_request CONSTANT BYTEA := sha256(convert_to(p_request::TEXT, 'UTF8'));
BEGIN
    IF p_key IS NULL THEN
        RETURN FALSE;
    END IF;
    INSERT INTO wallet.operator_requests (actor_digest, idempotency_key, operation, request_digest, at)
    VALUES (v_actor, p_key, p_operation, v_request, wallet.now())
    ON CONFLICT (actor_digest, idempotency_key) DO NOTHING;
    IF FOUND THEN
        RETURN FALSE;
    END IF;
    -- The row lock also writes. So if commits wait for a standby, a replay is answered only after the standby has the
    -- reported data.
    PERFORM FROM wallet.operator_requests AS r
    WHERE
        r.actor_digest = v_actor AND r.idempotency_key = p_key AND r.operation = p_operation
        AND r.request_digest = v_request
    FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'idempotency-key-reused';
    END IF;
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.operator_replays(TEXT, TEXT, TEXT, JSONB) IS
'Returns whether an operator''s key has already carried out this request.';

-- Records an action of an operator or administrator in the audit, in the transaction that carries it out. It stores
-- only the members that changed; the caller leaves out everything that identifies a user. If a statement cannot contain
-- a reason, the setting wallet.reason supplies it.
-- p_named: the users, by id or account token, that the texts may name if there is no account.
-- p_at: the time of the action, if it must equal the time in the ledger.
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

-- Returns the digest of an action's reference; null if the action has no request to replay.
CREATE OR REPLACE FUNCTION wallet.reference_digest(p_action TEXT, p_reference TEXT, p_request JSONB) RETURNS BYTEA
LANGUAGE sql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
    SELECT CASE
        WHEN p_request IS NOT NULL THEN sha256(convert_to(p_action || ' ' || p_reference, 'UTF8'))
    END;
$$;
COMMENT ON FUNCTION wallet.reference_digest(TEXT, TEXT, JSONB) IS 'Returns the digest of an action''s reference.';
