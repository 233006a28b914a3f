-- Stores the name and the email address of a user from the user's token. Missing values leave the stored ones
-- unchanged. It creates no account, and stores nothing for a token from before a deletion of its user. Returns whether
-- the user has an account.
-- p_issued_at: when the token was issued; null if the token has no issue time.
-- Locks: see wallet.write_profile. Codes: none.
CREATE OR REPLACE FUNCTION wallet.note_profile(
    p_user_id TEXT,
    p_issued_at TIMESTAMPTZ,
    p_name TEXT,
    p_email TEXT
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id CONSTANT BIGINT := (
        SELECT i.account_id FROM wallet.identities AS i
        WHERE
            i.user_id = wallet.canonical_user_id(p_user_id) AND i.merged_at IS NULL AND NOT EXISTS (
                SELECT FROM wallet.deleted_users AS d
                WHERE
                    d.user_digest = wallet.user_digest(p_user_id)
                    AND d.deleted_at >= coalesce(p_issued_at, '-infinity')
            )
    );
BEGIN
    RETURN v_account_id IS NOT NULL AND wallet.write_profile(v_account_id, p_name, p_email, 'token');
END;
$$;
COMMENT ON FUNCTION wallet.note_profile(TEXT, TIMESTAMPTZ, TEXT, TEXT) IS
'Stores the name and the email address of a user from the user''s token.';

-- Stores the name and the email address of an imported user. Missing values leave the stored ones unchanged. Returns
-- whether the user has an account.
-- Locks: see wallet.write_profile. Codes: none.
CREATE OR REPLACE FUNCTION wallet.import_profile(p_user_id TEXT, p_name TEXT, p_email TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    v_account_id CONSTANT BIGINT := (
        SELECT i.account_id FROM wallet.identities AS i
        WHERE i.user_id = wallet.canonical_user_id(p_user_id) AND i.merged_at IS NULL
    );
BEGIN
    RETURN v_account_id IS NOT NULL AND wallet.write_profile(v_account_id, p_name, p_email, 'import');
END;
$$;
COMMENT ON FUNCTION wallet.import_profile(TEXT, TEXT, TEXT) IS
'Stores the name and the email address of an imported user.';

-- Stores a name and an email address from a token or an import. A value of a stronger source stays. Control characters
-- become spaces, and an invalid value counts as missing. Returns false if the account was deleted or merged meanwhile.
-- Locks: the account against deletion and merging, then the profile; none if nothing changes. Codes: none.
CREATE OR REPLACE FUNCTION wallet.write_profile(
    p_account_id BIGINT,
    p_name TEXT,
    p_email TEXT,
    p_source wallet.profile_source
) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = wallet, pg_temp AS $$
DECLARE
    c_controls CONSTANT TEXT := '[\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+';
    v_name TEXT := left(btrim(regexp_replace(p_name, c_controls, ' ', 'g')), 200);
    v_email TEXT := btrim(p_email);
    v_known wallet.profiles;
BEGIN
    IF wallet.is_plain_text(v_name) IS NOT TRUE THEN
        v_name := NULL;
    END IF;
    IF (
        char_length(v_email) <= 320 AND wallet.is_plain_text(v_email) AND v_email ~ '^[^@[:space:]]+@[^@[:space:]]+$'
    ) IS NOT TRUE THEN
        v_email := NULL;
    END IF;
    SELECT p.* INTO v_known FROM wallet.profiles AS p WHERE p.account_id = p_account_id;
    IF
        (v_name IS NULL OR v_name = v_known.name OR v_known.name_source > p_source)
        AND (v_email IS NULL OR v_email = v_known.email OR v_known.email_source > p_source)
    THEN
        RETURN TRUE;
    END IF;
    PERFORM FROM wallet.accounts AS a
    WHERE a.account_id = p_account_id AND a.deleted_at IS NULL AND a.merged_into IS NULL
    FOR SHARE;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    INSERT INTO wallet.profiles AS p (account_id, name, name_source, email, email_source)
    VALUES (
        p_account_id, v_name, CASE WHEN v_name IS NOT NULL THEN p_source END, v_email,
        CASE WHEN v_email IS NOT NULL THEN p_source END
    )
    ON CONFLICT (account_id) DO UPDATE SET
        (name, name_source) = (
            SELECT k.name, k.source
            FROM (VALUES (p.name, p.name_source, FALSE), (excluded.name, excluded.name_source, TRUE))
                AS k (name, source, is_new)
            WHERE k.name IS NOT NULL
            ORDER BY k.source DESC, k.is_new DESC
            LIMIT 1
        ),
        (email, email_source) = (
            SELECT k.email, k.source
            FROM (VALUES (p.email, p.email_source, FALSE), (excluded.email, excluded.email_source, TRUE))
                AS k (email, source, is_new)
            WHERE k.email IS NOT NULL
            ORDER BY k.source DESC, k.is_new DESC
            LIMIT 1
        );
    RETURN TRUE;
END;
$$;
COMMENT ON FUNCTION wallet.write_profile(BIGINT, TEXT, TEXT, wallet.profile_source) IS
'Stores a name and an email address from a token or an import.';

-- Returns the ids of the users that a text may mean. A part of three or more characters of an id is sufficient, and for
-- names and email addresses, words of two or more characters that all occur in them, in any order and case.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.find_users(p_text TEXT) RETURNS SETOF TEXT LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = wallet, pg_temp
-- PostgreSQL cannot estimate how many users match, and a scan of all users is slower than the indexes.
SET enable_seqscan = OFF AS $$
DECLARE
    v_text CONSTANT TEXT := lower(btrim(p_text));
    v_words CONSTANT TEXT[] := ARRAY(
        SELECT w.word FROM regexp_split_to_table(v_text, '\s+') AS w (word) WHERE char_length(w.word) > 1
    );
    v_id_grams CONSTANT TEXT[] := wallet.grams(v_text, 3);
    v_name_grams CONSTANT TEXT[] := ARRAY(
        SELECT DISTINCT g.gram FROM unnest(v_words) AS w (word), unnest(wallet.grams(w.word, 2)) AS g (gram)
    );
BEGIN
    RETURN QUERY
    SELECT i.user_id FROM wallet.identities AS i WHERE i.user_id = btrim(p_text)
    -- With OR, PostgreSQL would calculate the grams of each found user again.
    UNION
    SELECT i.user_id FROM wallet.identities AS i
    WHERE
        char_length(v_text) >= 3 AND wallet.grams(i.user_id, 3) @> v_id_grams AND strpos(lower(i.user_id), v_text) > 0
    UNION
    SELECT i.user_id
    FROM wallet.profiles AS p
    INNER JOIN wallet.identities AS i ON p.account_id = i.account_id AND i.merged_at IS NULL
    WHERE
        cardinality(v_words) > 0
        AND wallet.grams(coalesce(p.name, '') || ' ' || coalesce(p.email, ''), 2) @> v_name_grams
        AND NOT EXISTS (
            SELECT FROM unnest(v_words) AS w (word)
            WHERE strpos(lower(concat_ws(' ', p.name, p.email)), w.word) = 0
        );
END;
$$;
COMMENT ON FUNCTION wallet.find_users(TEXT) IS 'Returns the ids of the users that a text may mean.';
