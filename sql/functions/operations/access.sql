-- Records an operator's call that changed nothing: a read of a user, an export of a list, or a refused attempt. The
-- console reads one user with several calls at once, so one operator's reads of one user within a minute become one
-- row.
-- p_action: read-user, export or refused. p_route: the called path, below /operator/. p_user_id: the user whose data
-- was read; null if there is none. p_details: further details, without anything that identifies a user.
-- Locks: none. Codes: WL400 malformed-request for another action.
CREATE OR REPLACE FUNCTION wallet.record_access(
    p_actor TEXT,
    p_action TEXT,
    p_route TEXT,
    p_user_id TEXT,
    p_environment wallet.environment,
    p_details JSONB
) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id CONSTANT BIGINT := (
        SELECT i.account_id FROM wallet.identities AS i WHERE i.user_id = wallet.canonical_user_id(p_user_id)
    );
BEGIN
    IF p_action IN ('read-user', 'export', 'refused') IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'WL400', MESSAGE = 'malformed-request';
    ELSIF p_action = 'read-user' AND EXISTS (
        SELECT FROM wallet.audit AS r
        INNER JOIN wallet.audit_texts AS t ON r.audit_id = t.audit_id
        WHERE
            r.account_id = v_account_id AND r.at > wallet.now() - INTERVAL '1 minute' AND r.action = 'read-user'
            AND r.environment IS NOT DISTINCT FROM p_environment AND t.actor = p_actor
    ) THEN
        RETURN;
    END IF;
    PERFORM wallet.record_action(
        ROW(p_actor, NULL, NULL, NULL)::wallet.action_note, p_action,
        CASE p_action WHEN 'read-user' THEN 'user' WHEN 'export' THEN 'list' ELSE 'call' END,
        CASE WHEN p_action <> 'read-user' THEN left(p_route, 200) END, '{}', p_details, v_account_id, p_environment
    );
END;
$$;
COMMENT ON FUNCTION wallet.record_access(TEXT, TEXT, TEXT, TEXT, wallet.environment, JSONB) IS
'Records a read of a user, an export or a refused attempt of an operator.';

-- Records that an operator compared the ledger with the stores, and how many repairs that made; the repairs themselves
-- are in the ledger. A comparison without repairs is not recorded.
-- p_actor: the operator; null for the role that runs the command. p_user_id: the user whose purchases were compared;
-- null for all users.
CREATE OR REPLACE FUNCTION wallet.record_reconciliation(p_actor TEXT, p_user_id TEXT, p_repaired INTEGER)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_repaired > 0 THEN
        PERFORM wallet.record_action(
            ROW(p_actor, NULL, NULL, NULL)::wallet.action_note, 'reconcile', 'store', NULL, '{}',
            jsonb_build_object('repaired', p_repaired), (
                SELECT i.account_id FROM wallet.identities AS i
                WHERE i.user_id = wallet.canonical_user_id(p_user_id)
            )
        );
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.record_reconciliation(TEXT, TEXT, INTEGER) IS
'Records who compared the ledger with the stores, and how many repairs that made.';
