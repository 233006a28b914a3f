-- Returns whether a user's import is already decided: refused because the user was deleted, unchanged because it was
-- imported before, changed because the source now reports other data. It also returns the wallet's current balance.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.import_state(
    p_source TEXT,
    p_user_id TEXT,
    p_environment wallet.environment,
    p_digest BYTEA
) RETURNS wallet.import_outcome LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_user CONSTANT BYTEA := wallet.user_digest(p_user_id);
    v_outcome wallet.import_outcome;
    v_known BYTEA;
BEGIN
    SELECT w.credits, w.visits INTO v_outcome.credits, v_outcome.visits FROM wallet.identities AS i
    INNER JOIN wallet.wallets AS w ON i.account_id = w.account_id AND w.environment = p_environment
    WHERE i.user_id = wallet.canonical_user_id(p_user_id);
    v_outcome.entries := 0;
    v_outcome.credits := coalesce(v_outcome.credits, 0);
    v_outcome.visits := coalesce(v_outcome.visits, 0);
    v_outcome.credits_before := v_outcome.credits;
    v_outcome.visits_before := v_outcome.visits;
    SELECT m.content_digest INTO v_known FROM wallet.imports AS m
    WHERE m.source = p_source AND m.user_digest = v_user AND m.environment = p_environment;
    IF EXISTS (SELECT FROM wallet.deleted_users AS d WHERE d.user_digest = v_user) THEN
        v_outcome.result := 'refused';
        v_outcome.reason := 'user-deleted';
    ELSIF v_known IS NOT NULL THEN
        v_outcome.result := CASE WHEN v_known = p_digest THEN 'unchanged' ELSE 'changed' END;
    END IF;
    RETURN v_outcome;
END;
$$;
COMMENT ON FUNCTION wallet.import_state(TEXT, TEXT, wallet.environment, BYTEA) IS
'Returns whether a user''s import is already decided, and the current balance.';
