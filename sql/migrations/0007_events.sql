-- What goes out (outbox), what came in (inbox), and what operators did.

CREATE TABLE wallet.outbox (
    event_id BIGINT GENERATED ALWAYS AS IDENTITY,
    -- Readers go by (xid, event_id) below the oldest running transaction: identities alone commit out of order.
    xid XID8 NOT NULL DEFAULT pg_current_xact_id(),
    type TEXT NOT NULL,
    account_id BIGINT NOT NULL,
    environment wallet.environment NOT NULL,
    booking_id UUID,
    claim_id BIGINT,
    version BIGINT,
    details JSONB,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (at, event_id)
) PARTITION BY RANGE (at);
CREATE TABLE wallet.outbox_rest PARTITION OF wallet.outbox DEFAULT;

CREATE TABLE wallet.inbox (
    inbox_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source TEXT NOT NULL,
    source_event_id TEXT NOT NULL,
    type TEXT,
    payload JSONB,
    status TEXT NOT NULL DEFAULT 'new',
    reason TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ,
    received_at TIMESTAMPTZ NOT NULL,
    processed_at TIMESTAMPTZ,
    -- Whom the message names (wallet.event_names).
    names TEXT[] NOT NULL DEFAULT '{}',
    UNIQUE (source, source_event_id),
    CONSTRAINT inbox_status_known CHECK (
        status IN ('new', 'processed', 'ignored', 'parked', 'failed', 'quarantined')
    )
);
CREATE INDEX inbox_due ON wallet.inbox (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX inbox_quarantined ON wallet.inbox (received_at) WHERE status = 'quarantined';

-- An operator's key answers the same request again and refuses another. The actor is a digest: no user id here.
CREATE TABLE wallet.operator_requests (
    actor_digest BYTEA NOT NULL,
    idempotency_key TEXT NOT NULL,
    operation TEXT NOT NULL,
    request_digest BYTEA NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (actor_digest, idempotency_key)
);

-- An administrator's posting: one row moves one wallet by one amount, once.
CREATE TABLE wallet.adjustments (
    reference TEXT PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    unit wallet.unit NOT NULL,
    amount BIGINT NOT NULL,
    first_version BIGINT NOT NULL,
    entry_count INTEGER NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    CONSTRAINT adjustments_reference_length CHECK (char_length(reference) BETWEEN 1 AND 200),
    CONSTRAINT adjustments_reference_plain CHECK (wallet.is_plain_text(reference)),
    CONSTRAINT adjustments_amount_not_zero CHECK (amount <> 0),
    CONSTRAINT adjustments_amount_sane CHECK (amount BETWEEN -1000000000000 AND 1000000000000)
);
