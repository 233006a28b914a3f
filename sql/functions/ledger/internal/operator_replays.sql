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
