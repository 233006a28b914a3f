-- Returns the result of an earlier action with the same reference. If there is no reference, or it is new, the result
-- is not a replay. A replay returns the changes made at that time, not the current state.
-- Locks: none. Codes: WL409 reference-reused.
CREATE OR REPLACE FUNCTION wallet.action_replay(p_action TEXT, p_note wallet.action_note) RETURNS wallet.action_answer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_known wallet.audit;
BEGIN
    SELECT r.* INTO v_known FROM wallet.audit AS r
    WHERE r.reference_digest = wallet.reference_digest(p_action, p_note.reference, p_note.request);
    IF NOT FOUND THEN
        RETURN ROW(NULL, FALSE, NULL, NULL, NULL)::wallet.action_answer;
    ELSIF v_known.request_digest <> sha256(convert_to(p_note.request::TEXT, 'UTF8')) THEN
        RAISE EXCEPTION USING ERRCODE = 'WL409', MESSAGE = 'reference-reused';
    END IF;
    RETURN ROW(v_known.audit_id, TRUE, v_known.before, v_known.after, NULL)::wallet.action_answer;
END;
$$;
COMMENT ON FUNCTION wallet.action_replay(TEXT, wallet.action_note) IS
'Returns the result of an earlier action with the same reference.';
