-- Balances of other systems. A user is imported once from a source, even after a deletion or merge.

CREATE TABLE wallet.imports (
    source TEXT NOT NULL,
    user_digest BYTEA NOT NULL,
    environment wallet.environment NOT NULL,
    content_digest BYTEA NOT NULL,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    -- The expiry that its lots were given.
    expires_at TIMESTAMPTZ NOT NULL DEFAULT 'infinity',
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (source, user_digest, environment),
    CONSTRAINT imports_source_length CHECK (char_length(source) BETWEEN 1 AND 100)
);
-- Finds the import reported by an event, by the ledger version of its last entry.
CREATE INDEX imports_versions ON wallet.imports (account_id, environment, first_version);

-- result: imported, unchanged (imported before), changed (imported before, and the source now reports other data;
-- nothing is changed) or refused (with the reason). An import may have a reason, too, if it was adapted.
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
-- The change of a store's grants_from by a new cut-over.
CREATE TYPE wallet.store_cut_over AS (
    store TEXT,
    grants_from_before TIMESTAMPTZ,
    grants_from TIMESTAMPTZ
);
