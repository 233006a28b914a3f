-- Account numbers are assigned by the wallet. Only the table identities holds user ids, so that a user can be erased
-- without changing the ledger.

CREATE TABLE wallet.accounts (
    account_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    blocked_at TIMESTAMPTZ,
    deleted_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    merged_into BIGINT REFERENCES wallet.accounts
);
CREATE INDEX accounts_merged ON wallet.accounts (merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE wallet.identities (
    user_id TEXT PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    app_account_token UUID NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    -- Whether the user has never signed in, according to the tokens; null before the first token. A store, an import or
    -- an operator that names the user does not change it. A merged identity refers to the account that it was merged
    -- into.
    is_anonymous BOOLEAN,
    merged_at TIMESTAMPTZ,
    -- The account of a merged identity before the merge.
    merged_from BIGINT REFERENCES wallet.accounts,
    CONSTRAINT identities_user_id_length CHECK (char_length(user_id) BETWEEN 1 AND 320),
    -- User ids are stored only in the form that wallet.canonical_user_id returns. An insert of another form is
    -- rejected.
    CONSTRAINT identities_user_id_canonical CHECK (
        lower(user_id) = user_id OR user_id !~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
    )
);
-- The comment of a constraint is the error message for an administrator whose value violates it.
COMMENT ON CONSTRAINT identities_user_id_length ON wallet.identities IS 'A user_id must have 1 to 320 characters.';
-- Finds users by a prefix of their id, with any collation of the database.
CREATE INDEX identities_prefix ON wallet.identities (user_id text_pattern_ops);
CREATE UNIQUE INDEX identities_account ON wallet.identities (account_id, user_id);
-- Claims store the digest of an account token. Every message that names no user searches for the token's account.
CREATE INDEX identities_token_digest ON wallet.identities (sha256(uuid_send(app_account_token)));

-- Digests of deleted users' ids. They identify tokens issued before the deletion, and keep messages from creating the
-- account again.
CREATE TABLE wallet.deleted_users (
    user_digest BYTEA PRIMARY KEY,
    deleted_at TIMESTAMPTZ NOT NULL
);

-- sha256 of the account tokens of deleted accounts. An account that proves the purchase may then claim it.
CREATE TABLE wallet.released_tokens (
    token_digest BYTEA PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    released_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE wallet.testers (
    account_id BIGINT PRIMARY KEY REFERENCES wallet.accounts,
    created_at TIMESTAMPTZ NOT NULL
);

-- Names and email addresses of users, for operators only. The rows are deleted with the account. They are never copied
-- to the ledger, the audit or events.
CREATE TYPE wallet.profile_source AS ENUM ('import', 'token', 'operator');

-- Returns the sequences of p_size characters in a text, in lower case; for a shorter text, the text itself. Indexes on
-- them find any part of a name or id. pg_trgm may be missing, so it is not used. A function in SQL would be planned for
-- each row.
CREATE FUNCTION wallet.grams(p_text TEXT, p_size INTEGER) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE STRICT
PARALLEL SAFE SET search_path = wallet, pg_temp AS $$
DECLARE
    v_text CONSTANT TEXT := lower(p_text);
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT substr(v_text, n.n, p_size) AS gram
        FROM generate_series(1, greatest(char_length(v_text) - p_size + 1, 1)) AS n (n)
        ORDER BY gram
    );
END;
$$;
COMMENT ON FUNCTION wallet.grams(TEXT, INTEGER) IS 'Returns the sequences of p_size characters in a text.';

CREATE TABLE wallet.profiles (
    account_id BIGINT PRIMARY KEY REFERENCES wallet.accounts,
    name TEXT,
    -- An operator's value is not replaced by a token's, nor a token's by an import's.
    name_source wallet.profile_source,
    email TEXT,
    email_source wallet.profile_source,
    CONSTRAINT profiles_not_empty CHECK (name IS NOT NULL OR email IS NOT NULL),
    CONSTRAINT profiles_have_sources CHECK (
        (name IS NULL) = (name_source IS NULL) AND (email IS NULL) = (email_source IS NULL)
    ),
    CONSTRAINT profiles_name_plain CHECK (char_length(name) <= 200 AND wallet.is_plain_text(name)),
    CONSTRAINT profiles_email_shape CHECK (
        char_length(email) <= 320 AND wallet.is_plain_text(email) AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$'
    )
);
-- The comment of a constraint is the error message for an administrator whose value violates it.
COMMENT ON CONSTRAINT profiles_name_plain ON wallet.profiles IS
'A name must be one line of 1 to 200 characters without control characters.';
COMMENT ON CONSTRAINT profiles_email_shape ON wallet.profiles IS
'An email address must have one @ and at most 320 characters, without spaces.';
CREATE INDEX profiles_grams ON wallet.profiles
USING gin (wallet.grams(coalesce(name, '') || ' ' || coalesce(email, ''), 2));
CREATE INDEX identities_grams ON wallet.identities USING gin (wallet.grams(user_id, 3));
