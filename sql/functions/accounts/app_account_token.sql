-- Returns the UUID that an app hands to a store as account token for a user: the user id itself if it is a UUID,
-- else its UUID of version 5 under a namespace of ours. A user id that is itself a UUID of version 5 is hashed as
-- well: it could be another user's token, and an attacker who can make a store name a user could take the token of
-- one yet to come. So is the all-zero UUID, which counts as no token. So no two users have one token, in whatever
-- order they are first seen; but for a collision of SHA-1, where the token decides for nobody
-- (wallet.resolve_claim_owner).
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
COMMENT ON FUNCTION wallet.app_account_token(TEXT) IS 'The account token that an app passes to the store for a user.';
