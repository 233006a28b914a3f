-- Records that an operator compared the ledger with the stores, and how many repairs that made; the repairs themselves
-- are in the ledger. A comparison without repairs is not recorded.
-- p_actor: the operator; null for the role that runs the command. p_user_id: the user whose purchases were compared;
-- null for all users.
-- Locks: none. Codes: none.
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
