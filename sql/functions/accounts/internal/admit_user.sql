-- Returns the account of one user of a group, opening it when the user is first seen; null where the user's token
-- speaks for nobody any more, or names what cannot be a user.
-- Locks: see wallet.caller_account. Codes: none.
CREATE OR REPLACE FUNCTION wallet.admit_user(p_user_id TEXT, p_issued_at TIMESTAMPTZ, p_is_anonymous BOOLEAN)
RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN wallet.caller_account(p_user_id, p_issued_at, p_is_anonymous);
EXCEPTION
    -- One user's refusal is not the group's.
    WHEN SQLSTATE 'WL401' OR check_violation THEN RETURN NULL;
END;
$$;
COMMENT ON FUNCTION wallet.admit_user(TEXT, TIMESTAMPTZ, BOOLEAN) IS
'The account of one user of a group, null where the token speaks for nobody any more.';
