-- Writes down that somebody compared the books with the stores, and how much that repaired; the repairs themselves are
-- in the ledger. A comparison that repaired nothing is no action.
-- p_actor: the operator; null for who runs the command. p_user_id: whose purchases; null for everybody's.
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
'Writes down who compared the books with the stores, and how much that repaired.';
