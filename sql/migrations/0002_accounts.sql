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
    CONSTRAINT identities_user_id_length CHECK (char_length(user_id) BETWEEN 1 AND 320)
);
CREATE UNIQUE INDEX identities_account ON wallet.identities (account_id, user_id);
CREATE UNIQUE INDEX identities_token ON wallet.identities (app_account_token);

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
