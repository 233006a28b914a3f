-- Returns the one form in which a user id is stored and compared: a UUID in lower case, any other text unchanged. iOS
-- prints UUIDs in upper case and issuers do not, so one user arrives in two spellings. Every function that receives a
-- user id calls this first, and the table identities rejects any other form. The function is short and has no
-- search_path, so that PostgreSQL can inline it; wallet.admit_users calls it for every booking.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.canonical_user_id(p_user_id TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        -- The expensive pattern match comes last, and never runs for text that is already in lower case.
        WHEN
            octet_length(p_user_id) = 36 AND lower(p_user_id COLLATE "C") <> p_user_id
            AND p_user_id ~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN lower(p_user_id)
        ELSE p_user_id
    END;
$$;
COMMENT ON FUNCTION wallet.canonical_user_id(TEXT) IS
'Returns the one form of a user id: a UUID in lower case, any other text unchanged.';

-- Returns the digest that replaces a deleted user's id. It is salted, so that the digest cannot be tested against a
-- list of ids outside this database.
CREATE OR REPLACE FUNCTION wallet.user_digest(p_user_id TEXT) RETURNS BYTEA LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    RETURN (
        SELECT sha256(i.user_salt || convert_to(wallet.canonical_user_id(p_user_id), 'UTF8')) FROM wallet.instance AS i WHERE i.only_row
    );
END;
$$;
COMMENT ON FUNCTION wallet.user_digest(TEXT) IS 'Returns the salted digest that replaces a deleted user''s id.';
