-- Received store messages (inbox) and outgoing events (outbox).
--
-- Tables that only grow are partitioned by week. wallet.keep_partitions creates the partitions ahead and drops them
-- whole: deleting single rows would cost as much as writing them, and leave holes. A partition covers a week, not a
-- day, because readers of the outbox search every partition for rows after their cursor, twice a second. The first
-- partition contains everything up to the first Monday after this migration. The default partition takes rows for which
-- no partition exists.

-- Messages that are new, failed, awaiting_user or quarantined. The table is a queue: rows come and go, and few exist at
-- a time.
--
-- Processed messages are in a separate table. In one partitioned inbox, no unique key could identify a message
-- permanently, because a key must contain the time. Also, a transaction that waits for a row that moves between
-- partitions gets an error. So concurrent deliveries meet at the unique key of wallet.inbox. The one that gets it then
-- searches inbox_done (wallet.receive_event), which contains the message if it arrived before. A message is thus
-- processed only once while it is kept.
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
    -- The users that the message names (wallet.event_names).
    names TEXT[] NOT NULL DEFAULT '{}',
    UNIQUE (source, source_event_id),
    CONSTRAINT inbox_status_known CHECK (
        status IN ('new', 'awaiting_user', 'failed', 'quarantined')
    )
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
CREATE INDEX inbox_due ON wallet.inbox (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX inbox_quarantined ON wallet.inbox (received_at) WHERE status = 'quarantined';
-- Finds the messages that wait for a user or name a deleted one. New entries do not go to the index's pending list,
-- because every search would have to read it.
CREATE INDEX inbox_names ON wallet.inbox USING gin (names) WITH (fastupdate = off);

-- Processed and ignored messages.
CREATE TABLE wallet.inbox_done (
    inbox_id BIGINT NOT NULL,
    source TEXT NOT NULL,
    source_event_id TEXT NOT NULL,
    type TEXT,
    payload JSONB,
    status TEXT NOT NULL,
    reason TEXT,
    attempts INTEGER NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    processed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (inbox_id, processed_at),
    CONSTRAINT inbox_done_status_known CHECK (status IN ('processed', 'ignored'))
) PARTITION BY RANGE (processed_at);
CREATE INDEX inbox_done_key ON wallet.inbox_done (source, source_event_id);
CREATE TABLE wallet.inbox_done_rest PARTITION OF wallet.inbox_done DEFAULT;
DO $$
BEGIN
    EXECUTE format(
        'CREATE TABLE wallet.inbox_done_before PARTITION OF wallet.inbox_done FOR VALUES FROM (MINVALUE) TO (%L)',
        date_trunc('week', clock_timestamp(), 'UTC') + INTERVAL '168 hours'
    );
END;
$$;

-- The end of the last read of a store's message history: all messages that the store had sent by then were received.
CREATE TABLE wallet.message_histories (
    source TEXT NOT NULL,
    environment wallet.environment NOT NULL,
    read_until TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (source, environment)
);

-- The outcome of one store message.
CREATE TYPE wallet.event_outcome AS (
    inbox_id BIGINT,
    status TEXT,
    reason TEXT,
    duplicate BOOLEAN
);
-- One item of wallet.apply_batch. A fact has a statement, {"fact": …, "owners": …}. If a user submits the fact, it also
-- has the submitter and the data of the user's token (see wallet.caller_account). A message has an event, and either
-- the inbox_id under which it is stored, or its source, id and type.
CREATE TYPE wallet.store_request AS (
    submitter TEXT,
    issued_at TIMESTAMPTZ,
    is_anonymous BOOLEAN,
    account_token UUID,
    statement JSONB,
    inbox_id BIGINT,
    source TEXT,
    source_event_id TEXT,
    type TEXT,
    event JSONB
);
-- The answer: the outcome of the fact or of the event, or the SQLSTATE, message and detail of the error for which it
-- was undone. WL… is a final refusal; the caller retries any other error, alone.
CREATE TYPE wallet.store_answer AS (
    item INTEGER,
    state TEXT,
    message TEXT,
    detail TEXT,
    fact wallet.fact_outcome,
    event wallet.event_outcome
);
-- A store message that is due, leased to the worker that requested it.
CREATE TYPE wallet.due_event AS (
    inbox_id BIGINT,
    source TEXT,
    source_event_id TEXT,
    type TEXT,
    payload JSONB
);

-- The outbox is written, read once from the end and dropped, so vacuum gains nothing. wallet.make_partition uses the
-- same setting for later weeks.
CREATE TABLE wallet.outbox (
    event_id BIGINT GENERATED ALWAYS AS IDENTITY,
    -- Readers use the order (xid, event_id) below the oldest running transaction, because event ids alone may commit
    -- out of order.
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
CREATE INDEX outbox_order ON wallet.outbox (xid, event_id);
CREATE TABLE wallet.outbox_rest PARTITION OF wallet.outbox DEFAULT;
DO $$
BEGIN
    EXECUTE format(
        'CREATE TABLE wallet.outbox_before PARTITION OF wallet.outbox FOR VALUES FROM (MINVALUE) TO (%L)'
        ' WITH (autovacuum_vacuum_insert_threshold = -1)',
        date_trunc('week', clock_timestamp(), 'UTC') + INTERVAL '168 hours'
    );
END;
$$;

-- The position up to which events have been queued for delivery.
CREATE TABLE wallet.outbox_cursor (
    only_row BOOLEAN PRIMARY KEY DEFAULT TRUE,
    xid XID8 NOT NULL DEFAULT '0',
    event_id BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT outbox_cursor_is_one_row CHECK (only_row)
);
INSERT INTO wallet.outbox_cursor DEFAULT VALUES;

-- The state of each delivery: a row is updated twice and deleted.
CREATE TABLE wallet.deliveries (
    event_id BIGINT PRIMARY KEY,
    event_at TIMESTAMPTZ NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ NOT NULL,
    last_error TEXT,
    delivered_at TIMESTAMPTZ,
    CONSTRAINT deliveries_status_known CHECK (status IN ('pending', 'delivered', 'dead')),
    CONSTRAINT deliveries_delivered_whole CHECK ((status = 'delivered') = (delivered_at IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX deliveries_due ON wallet.deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX deliveries_done ON wallet.deliveries (delivered_at) WHERE status = 'delivered';
-- Finds whether a week contains a dead event. There are few, so the index costs almost nothing.
CREATE INDEX deliveries_dead ON wallet.deliveries (event_at) WHERE status = 'dead';

-- An event that is due at the endpoint; the body is sent and signed without changes.
CREATE TYPE wallet.due_delivery AS (
    event_id BIGINT,
    webhook_id TEXT,
    body TEXT,
    attempts INTEGER,
    account_id BIGINT
);

-- The followed wallets that have changed: account_ids[n] in environments[n]. All events of transactions before "until"
-- have been read. If is_complete is false, any wallet may have changed.
CREATE TYPE wallet.followed_changes AS (
    until XID8,
    is_complete BOOLEAN,
    account_ids BIGINT [],
    environments TEXT []
);
