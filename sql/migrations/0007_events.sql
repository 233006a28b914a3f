-- What goes out (outbox), what came in (inbox), and what operators did.

CREATE TABLE wallet.outbox (
    event_id bigint GENERATED ALWAYS AS IDENTITY,
    -- Readers go by (xid, event_id) below the oldest running transaction: identities alone commit out of order.
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    type text NOT NULL,
    account_id bigint NOT NULL,
    environment wallet.environment NOT NULL,
    booking_id uuid,
    claim_id bigint,
    version bigint,
    details jsonb,
    at timestamptz NOT NULL,
    PRIMARY KEY (at, event_id)
) PARTITION BY RANGE (at);
CREATE TABLE wallet.outbox_rest PARTITION OF wallet.outbox DEFAULT;

CREATE TABLE wallet.inbox (
    inbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source text NOT NULL,
    source_event_id text NOT NULL,
    type text,
    payload jsonb,
    status text NOT NULL DEFAULT 'new',
    reason text,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    received_at timestamptz NOT NULL,
    processed_at timestamptz,
    UNIQUE (source, source_event_id),
    CONSTRAINT inbox_status_known CHECK (status IN ('new', 'processed', 'ignored', 'parked', 'failed'))
);
CREATE INDEX inbox_due ON wallet.inbox (next_attempt_at) WHERE status IN ('new', 'parked', 'failed');

-- An operator's key answers the same request again and refuses another. The actor is a digest: no user id here.
CREATE TABLE wallet.operator_requests (
    actor_digest bytea NOT NULL,
    idempotency_key text NOT NULL,
    operation text NOT NULL,
    request_digest bytea NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (actor_digest, idempotency_key)
);

-- An administrator's posting: one row moves one wallet by one amount, once.
CREATE TABLE wallet.adjustments (
    reference text PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES wallet.accounts,
    environment wallet.environment NOT NULL,
    unit wallet.unit NOT NULL,
    amount bigint NOT NULL,
    first_version bigint NOT NULL,
    entry_count integer NOT NULL,
    at timestamptz NOT NULL,
    CONSTRAINT adjustments_reference_length CHECK (char_length(reference) BETWEEN 1 AND 200),
    CONSTRAINT adjustments_amount_not_zero CHECK (amount <> 0)
);
