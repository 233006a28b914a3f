-- Returns the account that a token speaks for, opening it when the user is first seen. The token was let in when the
-- request came, but what it asks for may have waited for a store since, and its user may have deleted the account.
-- p_issued_at: when the token was issued, null where it does not say; infinity for who comes without a token.
-- p_is_anonymous: whether the token is of somebody who has not signed in; null where there is no token.
-- p_account_token: as for wallet.admit_token.
-- Locks: as wallet.admit_token and wallet.account_for. Codes: WL401 unauthenticated.
CREATE OR REPLACE FUNCTION wallet.caller_account(
    p_user_id TEXT,
    p_issued_at TIMESTAMPTZ,
    p_is_anonymous BOOLEAN,
    p_account_token UUID DEFAULT NULL
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- First, so that a deletion which is under way is waited for, and then seen.
    v_account_id CONSTANT BIGINT := wallet.account_for(
        p_user_id, CASE WHEN p_issued_at = 'infinity' THEN p_is_anonymous ELSE coalesce(p_is_anonymous, FALSE) END,
        p_account_token
    );
BEGIN
    IF p_issued_at IS DISTINCT FROM 'infinity' THEN
        PERFORM wallet.admit_token(p_user_id, p_issued_at, p_is_anonymous, p_account_token);
    END IF;
    RETURN v_account_id;
END;
$$;
COMMENT ON FUNCTION wallet.caller_account(TEXT, TIMESTAMPTZ, BOOLEAN, UUID) IS
'The account that a token speaks for, opened when the user is first seen.';
