-- Refuses to transfer released purchases to an account that is deleted, merged or blocked.
-- Locks: none. Codes: WL401 unauthenticated, WL403 account-blocked.
CREATE OR REPLACE FUNCTION wallet.check_may_receive_claims(p_account_id BIGINT) RETURNS VOID LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account wallet.accounts;
BEGIN
    SELECT a.* INTO STRICT v_account FROM wallet.accounts AS a WHERE a.account_id = p_account_id;
    IF v_account.deleted_at IS NOT NULL OR v_account.merged_into IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL401', MESSAGE = 'unauthenticated';
    ELSIF v_account.blocked_at IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WL403', MESSAGE = 'account-blocked';
    END IF;
END;
$$;
COMMENT ON FUNCTION wallet.check_may_receive_claims(BIGINT) IS
'Refuses to transfer released purchases to an account that is deleted, merged or blocked.';
