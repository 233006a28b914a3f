-- Accounts are numbers of our own. identities is the only table that holds user ids, so that erasing a person
-- leaves the books whole.

CREATE TABLE wallet.accounts (
    account_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    blocked_at TIMESTAMPTZ,
    deleted_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE wallet.identities (
    user_id TEXT PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    app_account_token UUID NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    CONSTRAINT identities_user_id_length CHECK (char_length(user_id) BETWEEN 1 AND 320),
    -- One form of each id, as wallet.canonical_user_id tells it: an entrance that forgot to ask is refused.
    CONSTRAINT identities_user_id_canonical CHECK (
        lower(user_id) = user_id OR user_id !~ '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
    )
);
CREATE UNIQUE INDEX identities_account ON wallet.identities (account_id, user_id);

-- sha256 of the account tokens of deleted accounts: whoever proves the purchase may then claim it.
CREATE TABLE wallet.released_tokens (
    token_digest BYTEA PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    released_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE wallet.testers (
    account_id BIGINT PRIMARY KEY REFERENCES wallet.accounts,
    created_at TIMESTAMPTZ NOT NULL
);
