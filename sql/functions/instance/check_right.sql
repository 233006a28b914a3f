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
