-- Returns the UUID that an app passes to a store as the account token of a user. It is the user id itself if that is a
-- UUID, otherwise a version 5 UUID of the user id in a fixed namespace.
-- A user id that is itself a version 5 UUID is hashed too, because it could equal another user's token. An attacker who
-- can make a store name a user could otherwise take the token of a future user. The all-zero UUID is hashed too,
-- because it means "no token". Two users therefore never share a token, in any order of arrival. The only exception is
-- a SHA-1 collision; wallet.resolve_claim_owner then ignores the token.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.app_account_token(p_user_id TEXT) RETURNS UUID
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN
            p_user_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            AND NOT (substr(p_user_id, 15, 1) = '5' AND substr(p_user_id, 20, 1) IN ('8', '9', 'a', 'b', 'A', 'B'))
            AND p_user_id <> '00000000-0000-0000-0000-000000000000'
            THEN p_user_id::UUID
        ELSE wallet.uuid_v5('b5d6e6a2-33b4-5c0f-9d3e-7c1d1f2a6c10', wallet.canonical_user_id(p_user_id))
    END;
END;
$$;
COMMENT ON FUNCTION wallet.app_account_token(TEXT) IS
'Returns the account token that an app passes to the store for a user.';
