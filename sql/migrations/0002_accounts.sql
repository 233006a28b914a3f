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
