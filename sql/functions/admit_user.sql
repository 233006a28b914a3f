-- Tells the account of one user of a group, opening it when the user is first seen; null where the user's token speaks
-- for nobody any more, or names what cannot be a user.
-- Called by: wallet.admit_users. Locks: as wallet.admit_token and wallet.account_for. Codes: none.
CREATE OR REPLACE FUNCTION wallet.admit_user(p_user_id TEXT, p_issued_at TIMESTAMPTZ, p_is_anonymous BOOLEAN)
RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    IF p_issued_at IS DISTINCT FROM 'infinity' THEN
        PERFORM wallet.admit_token(p_user_id, p_issued_at, p_is_anonymous);
    END IF;
    RETURN wallet.account_for(p_user_id);
EXCEPTION
    -- One user's refusal is not the group's.
    WHEN SQLSTATE 'WL401' OR check_violation THEN RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.admit_user(TEXT, TIMESTAMPTZ, BOOLEAN) IS
'The account of one user of a group, null where the token speaks for nobody any more.';
