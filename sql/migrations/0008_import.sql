-- Balances of other systems. A user is imported once from a source, also when they are deleted or merged.

CREATE TABLE wallet.imports (
    source TEXT NOT NULL,
    user_digest BYTEA NOT NULL,
    environment wallet.environment NOT NULL,
    content_digest BYTEA NOT NULL,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    -- The end that its lots were given.
    expires_at TIMESTAMPTZ NOT NULL DEFAULT 'infinity',
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (source, user_digest, environment),
    CONSTRAINT imports_source_length CHECK (char_length(source) BETWEEN 1 AND 100)
);
-- Finds the import that an event reports by the ledger version that it ended with.
CREATE INDEX imports_versions ON wallet.imports (account_id, environment, first_version);

-- result: imported, unchanged (it was imported before), changed (the source says something else by now: left as it is),
-- refused (with the reason). An import may have a reason, too: what could not be imported as it was.
CREATE TYPE wallet.import_outcome AS (
    result TEXT,
    reason TEXT,
    entries INTEGER,
    credits BIGINT,
    visits BIGINT,
    credits_before BIGINT,
    visits_before BIGINT
);
CREATE TYPE wallet.import_movement AS (
    at TIMESTAMPTZ,
    amount BIGINT,
    kind TEXT,
    reason TEXT
);
-- What setting the cut-over changed of a store.
CREATE TYPE wallet.store_cut_over AS (
    store TEXT,
    grants_from_before TIMESTAMPTZ,
    grants_from TIMESTAMPTZ
);
