-- Accounts are numbers of our own. identities is the only table that holds user ids, so that erasing a person
-- leaves the books whole.

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
    -- Whether the user has never signed in, as the tokens say; null until the first token. A store, an import or an
    -- operator that names the user decides nothing. A merged identity stands for the account that it was merged into.
    is_anonymous BOOLEAN,
    merged_at TIMESTAMPTZ,
    -- The account that it stood for before.
    merged_from BIGINT REFERENCES wallet.accounts,
    CONSTRAINT identities_user_id_length CHECK (char_length(user_id) BETWEEN 1 AND 320),
    -- One form of each id, the one that wallet.canonical_user_id returns: a caller that forgot to ask is refused.
    CONSTRAINT identities_user_id_canonical CHECK (
        lower(user_id) = user_id OR user_id !~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
    )
);
-- What an administrator reads who offers what a CHECK refuses.
COMMENT ON CONSTRAINT identities_user_id_length ON wallet.identities IS 'A user_id has 1 to 320 characters.';
-- Finds users by how their id begins, whatever the database's own order of letters is.
CREATE INDEX identities_prefix ON wallet.identities (user_id text_pattern_ops);
CREATE UNIQUE INDEX identities_account ON wallet.identities (account_id, user_id);
-- Claims keep an account token's digest, and every message that names no user asks whose it is.
CREATE INDEX identities_token_digest ON wallet.identities (sha256(uuid_send(app_account_token)));

-- Digests of deleted users' ids, so that a token from before the deletion is known and no event opens them again.
CREATE TABLE wallet.deleted_users (
    user_digest BYTEA PRIMARY KEY,
    deleted_at TIMESTAMPTZ NOT NULL
);

-- sha256 of the account tokens of deleted accounts: an account that proves the purchase may then claim it.
CREATE TABLE wallet.released_tokens (
    token_digest BYTEA PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    released_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE wallet.testers (
    account_id BIGINT PRIMARY KEY REFERENCES wallet.accounts,
    created_at TIMESTAMPTZ NOT NULL
);
