-- Returns the account of a token's user, and creates it when the user is first seen. It checks the token again: it was
-- admitted when the request arrived, but the request may have waited for a store, and the user may have deleted the
-- account meanwhile.
-- p_issued_at: when the token was issued; null if the token has no issue time; infinity for a caller without a token.
-- p_is_anonymous: whether the token belongs to a user who has not signed in; null without a token.
-- p_account_token: as for wallet.admit_token.
-- Locks: as wallet.admit_token and wallet.account_for. Codes: WL401 unauthenticated.
CREATE OR REPLACE FUNCTION wallet.caller_account(
    p_user_id TEXT,
    p_issued_at TIMESTAMPTZ,
    p_is_anonymous BOOLEAN,
    p_account_token UUID DEFAULT NULL
) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    -- This comes first, so that it waits for a deletion in progress and then sees its result.
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
'Returns the account of a token''s user, and creates it when the user is first seen.';
