-- What the events' ways in and out hand to those who carry them, and what finds the rows that are done with.

-- A message of a store that is due, leased to whoever was told of it.
CREATE TYPE wallet.due_event AS (
    inbox_id BIGINT,
    source TEXT,
    source_event_id TEXT,
    type TEXT,
    payload JSONB
);
-- An event that is due at the endpoint; the body is sent and signed as it is.
CREATE TYPE wallet.due_delivery AS (
    event_id BIGINT,
    webhook_id TEXT,
    body TEXT,
    attempts INTEGER,
    account_id BIGINT
);

CREATE INDEX inbox_done ON wallet.inbox (processed_at) WHERE status IN ('processed', 'ignored');
CREATE INDEX deliveries_done ON wallet.deliveries (delivered_at) WHERE status = 'delivered';
-- Finds the adjustment that an event tells of by the ledger version that it ended with.
CREATE INDEX adjustments_versions ON wallet.adjustments (account_id, environment, first_version);

-- The database role that decided.
ALTER TABLE wallet.review_flags ADD COLUMN resolved_by TEXT;
