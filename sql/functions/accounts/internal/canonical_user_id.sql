-- Returns the one form in which a user id is kept and compared: a UUID in lower case, any other text as it is, byte by
-- byte. iOS prints UUIDs in upper case and issuers do not, so one user comes in two spellings; every function that is
-- given a user id asks this first, and the table identities refuses any other form. It is so short, and has no
-- search_path, so that it becomes part of the statement that asks; wallet.admit_users asks it for every booking.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.canonical_user_id(p_user_id TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        -- The dear look at the form comes last, and never for what is in lower case already.
        WHEN
            octet_length(p_user_id) = 36 AND lower(p_user_id COLLATE "C") <> p_user_id
            AND p_user_id ~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN lower(p_user_id)
        ELSE p_user_id
    END;
$$;
COMMENT ON FUNCTION wallet.canonical_user_id(TEXT) IS
'The one form of a user id: a UUID in lower case, any other text as it is.';
